//! The limits of one run of the agent.

use super::*;

#[test]
fn an_agent_that_takes_too_long_is_ended() {
    let sandbox = sandbox!().with_variable("RECALL_LOOP__AGENT_TIMEOUT", "1s");
    let scene = Scene::with(sandbox, one_task(), &["echo $$ > \"$HOME/agent\"; echo T1 done; sleep 100"]);
    let summary = scene.summary(&["--stuck-threshold", "1"], 5);
    let text = summary["escalation"]["text"].as_str().expect("a question");
    assert!(text.starts_with("1 run ended with the same error: the agent took longer than 1 s"), "{text}");
    let agent = fs::read_to_string(scene.home("agent")).expect("its id");
    assert!(!is_alive(agent.trim()));
    let output = fs::read_to_string(scene.project.path(".ralph/output_1.txt")).expect("kept");
    assert_eq!(output, "T1 done\n");
}

#[test]
fn what_an_agent_leaves_running_does_not_stop_the_loop() {
    let scene = Scene::new(one_task(), &["sleep 100 & echo $! > \"$HOME/child\"; echo T1 done"]);
    scene.summary(&[], 0);
    let child = fs::read_to_string(scene.home("child")).expect("its id");
    wait_until("the process is ended", || (!is_alive(child.trim())).then_some(()));
}

#[test]
fn an_endless_output_is_ended() {
    let scene = Scene::new(one_task(), &["exec yes"]);
    let summary = scene.summary(&["--stuck-threshold", "1"], 5);
    let text = summary["escalation"]["text"].as_str().expect("a question");
    assert!(text.contains("the agent wrote more than 16 MiB"), "{text}");
    assert_eq!(fs::metadata(scene.project.path(".ralph/output_1.txt")).expect("kept").len(), 16 * 1024 * 1024);
}

#[test]
fn two_loops_do_not_work_in_one_folder() {
    let scene = Scene::new(one_task(), &["touch \"$HOME/begun\"; sleep 100"]);
    let mut running = scene.sandbox.start_recall(&scene.project, &["loop"]);
    wait_until("the agent works", || scene.home("begun").exists().then_some(()));
    let refused = scene.run(&[]);
    assert!(refused.code == Some(4) && refused.stderr.contains("another `recall loop` works in"), "{refused:?}");
    running.kill();
}
