#!/usr/bin/env node
// Starts @PROGRAM@ of the package for this system, which npm installs with this one.
const { spawn } = require("node:child_process");

// Node says which glibc it runs with; on a Linux with musl there is none.
const isMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
const system = `@REGISTRY@-${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`;
let program;
try {
    program = require.resolve(`${system}/bin/@PROGRAM@${process.platform === "win32" ? ".exe" : ""}`);
} catch {
    console.error(`error: recall has no package for this system: ${system}`);
    process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
    console.error(`error: cannot start ${program}: ${error.message}`);
    process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));
