// Exchanges the token in the fragment for the cookie, and goes to the page.
"use strict";
const said = document.getElementById("said");
said.textContent = "Opening the page …";
const token = location.hash.slice(1);
// The token leaves the address, and with it the history.
history.replaceState(null, "", "/open");
(async () => {
  try {
    const answer = await fetch("/open", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const { success, data, error } = await answer.json();
    if (success) {
      location.replace(data.location);
    } else {
      said.textContent = `${error.message}; ${error.hint}.`;
    }
  } catch {
    said.textContent = "The daemon does not answer. Run `recall ui` again.";
  }
})();
