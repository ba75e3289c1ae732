use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::onnx::error::RunError;

/// A network whose output is the number of tokens of a text. Token 1 fails the batch, 2 panics, 3 waits for the gate.
struct Counting {
    provider: ProviderUse,
    gate: Arc<Mutex<()>>,
    order: Arc<Mutex<Vec<Vec<u32>>>>,
    rests: Arc<AtomicUsize>,
}

impl Network for Counting {
    fn run(&mut self, batch: &[&Tokens]) -> Result<Vec<Result<Vec<f32>, RunError>>, RunError> {
        self.order.lock().push(batch.iter().filter_map(|tokens| tokens.ids.first().copied()).collect());
        let has = |id| batch.iter().any(|tokens| tokens.ids.contains(&id));
        if has(3) {
            drop(self.gate.lock());
        }
        assert!(!has(2), "a network that panics");
        if has(1) {
            return Err(RunError::Runtime { reason: "refused".to_owned() });
        }
        Ok(batch.iter().map(|tokens| Ok(vec![tokens.len() as f32])).collect())
    }

    fn release_memory(&mut self) -> Result<bool, RunError> {
        match self.rests.fetch_add(1, Ordering::SeqCst) {
            1 => Err(RunError::Runtime { reason: "refused".to_owned() }),
            2 => panic!("a network that cannot release memory"),
            _ => Ok(true),
        }
    }

    fn provider(&self) -> &ProviderUse {
        &self.provider
    }
}

/// A worker with a counting network, and a record of what it does.
struct Watched {
    worker: Worker,
    gate: Arc<Mutex<()>>,
    order: Arc<Mutex<Vec<Vec<u32>>>>,
    loads: Arc<AtomicUsize>,
    rests: Arc<AtomicUsize>,
    unloads: Arc<AtomicUsize>,
}

/// `failing` is the number of times that loading fails.
fn watch(settings: &OnnxSettings, failing: usize) -> Watched {
    let gate = Arc::new(Mutex::new(()));
    let order: Arc<Mutex<Vec<Vec<u32>>>> = Arc::default();
    let [loads, rests, unloads] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
    let load = {
        let (gate, order, loads, rests) =
            (Arc::clone(&gate), Arc::clone(&order), Arc::clone(&loads), Arc::clone(&rests));
        move || {
            if loads.fetch_add(1, Ordering::SeqCst) < failing {
                return Err(LoadError::Network { path: "model.onnx".into(), reason: "refused".to_owned() });
            }
            let (gate, order, rests) = (Arc::clone(&gate), Arc::clone(&order), Arc::clone(&rests));
            Ok(Box::new(Counting { provider: ProviderUse::default(), gate, order, rests }) as Box<dyn Network>)
        }
    };
    let unloaded = {
        let unloads = Arc::clone(&unloads);
        move || {
            unloads.fetch_add(1, Ordering::SeqCst);
        }
    };
    let worker = Worker::start("counting", settings, Batching::Together, Box::new(load), Box::new(unloaded));
    Watched { worker, gate, order, loads, rests, unloads }
}

fn text(ids: &[u32]) -> Tokens {
    Tokens { ids: ids.to_vec(), parts: vec![0; ids.len()] }
}

fn settings() -> OnnxSettings {
    OnnxSettings { idle: None, retry: Duration::from_hours(1), ..OnnxSettings::default() }
}

#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "the condition did not become true in time");
        thread::yield_now();
    }
}

#[test]
fn interactive_requests_run_before_background_ones() {
    let watched = watch(&settings(), 0);
    let held = watched.gate.lock();
    let first = watched.worker.submit(vec![text(&[3])], Priority::Background, None);
    until(|| !watched.order.lock().is_empty());
    let background = watched.worker.submit(vec![text(&[4]), text(&[5])], Priority::Background, None);
    let interactive = watched.worker.submit(vec![text(&[6])], Priority::Interactive, None);
    assert_eq!(watched.worker.state().waiting, 3);
    drop(held);
    for pending in [first, background, interactive] {
        pending.wait(None).unwrap();
    }
    assert_eq!(*watched.order.lock(), [vec![3], vec![6], vec![4, 5]]);
}

#[test]
fn texts_of_several_requests_are_run_together_by_length() {
    let watched = watch(&settings(), 0);
    let held = watched.gate.lock();
    let first = watched.worker.submit(vec![text(&[3])], Priority::Background, None);
    until(|| !watched.order.lock().is_empty());
    let long = || text(&[7; 100]);
    let one = watched.worker.submit(vec![long(), text(&[8])], Priority::Background, None);
    let other = watched.worker.submit(vec![text(&[9]), long()], Priority::Background, None);
    drop(held);
    first.wait(None).unwrap();
    assert_eq!(one.wait(None).unwrap(), [[100.0], [1.0]]);
    assert_eq!(other.wait(None).unwrap(), [[1.0], [100.0]]);
    assert_eq!(watched.order.lock()[1..], [vec![8, 9], vec![7, 7]]);
}

#[test]
fn a_failed_batch_fails_only_the_faulty_text() {
    let watched = watch(&settings(), 0);
    let held = watched.gate.lock();
    let first = watched.worker.submit(vec![text(&[3])], Priority::Background, None);
    until(|| !watched.order.lock().is_empty());
    let good = watched.worker.submit(vec![text(&[4])], Priority::Background, None);
    let bad = watched.worker.submit(vec![text(&[1])], Priority::Background, None);
    drop(held);
    first.wait(None).unwrap();
    assert_eq!(good.wait(None).unwrap(), [[1.0]]);
    assert!(matches!(bad.wait(None), Err(ModelError::Failed { .. })));
}

#[test]
fn after_a_panic_the_network_is_reloaded() {
    let watched = watch(&settings(), 0);
    let error = watched.worker.submit(vec![text(&[2])], Priority::Interactive, None).wait(None).unwrap_err();
    assert!(matches!(error, ModelError::Failed { .. }), "{error:?}");
    assert_eq!(watched.worker.submit(vec![text(&[4])], Priority::Interactive, None).wait(None).unwrap(), [[1.0]]);
    assert_eq!(watched.loads.load(Ordering::SeqCst), 2);
}

#[test]
fn loading_is_retried_after_a_delay() {
    let ask = |watched: &Watched| watched.worker.submit(vec![text(&[4])], Priority::Interactive, None).wait(None);
    let patient = watch(&settings(), 1);
    for _ in 0..3 {
        assert!(matches!(ask(&patient), Err(ModelError::Unavailable { .. })));
    }
    assert_eq!(patient.loads.load(Ordering::SeqCst), 1);
    assert!(patient.worker.state().problem.is_some());

    let eager = watch(&OnnxSettings { retry: Duration::ZERO, ..settings() }, 1);
    assert!(ask(&eager).is_err());
    assert!(ask(&eager).is_ok());
    assert!(eager.worker.state().problem.is_none());
}

#[test]
fn an_idle_network_is_unloaded() {
    let watched = watch(&OnnxSettings { idle: Some(Duration::from_millis(20)), ..settings() }, 0);
    for loads in 1..=3 {
        watched.worker.submit(vec![text(&[4])], Priority::Interactive, None).wait(None).unwrap();
        until(|| watched.unloads.load(Ordering::SeqCst) == loads);
        assert_eq!(watched.loads.load(Ordering::SeqCst), loads);
        assert!(watched.worker.state().provider.is_none());
    }
}

#[test]
fn a_network_releases_memory_once_after_its_runs() {
    let rest = Duration::from_millis(5);
    let watched = watch(&OnnxSettings { rest, ..settings() }, 0);
    let rests = || watched.rests.load(Ordering::SeqCst);
    // The second release is refused, which is harmless. The third panics, and the network is reloaded.
    for (times, loads) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
        watched.worker.submit(vec![text(&[4])], Priority::Interactive, None).wait(None).unwrap();
        until(|| rests() == times);
        thread::sleep(4 * rest);
        assert_eq!((rests(), watched.loads.load(Ordering::SeqCst)), (times, loads));
    }
    assert_eq!(watched.unloads.load(Ordering::SeqCst), 0);
}

#[test]
fn a_text_past_its_deadline_is_not_run() {
    let watched = watch(&settings(), 0);
    let held = watched.gate.lock();
    let first = watched.worker.submit(vec![text(&[3])], Priority::Background, None);
    until(|| !watched.order.lock().is_empty());
    let soon = Some(Instant::now() + Duration::from_millis(5));
    let late = watched.worker.submit(vec![text(&[4])], Priority::Interactive, soon).wait(soon).unwrap_err();
    assert!(matches!(late, ModelError::Late { .. }), "{late:?}");
    drop(held);
    first.wait(None).unwrap();
    watched.worker.submit(vec![text(&[5])], Priority::Background, None).wait(None).unwrap();
    assert_eq!(*watched.order.lock(), [vec![3], vec![5]]);
}

#[test]
fn a_waiting_caller_fails_when_the_worker_is_dropped() {
    let Watched { worker, gate, order, .. } = watch(&settings(), 0);
    let held = gate.lock();
    let _first = worker.submit(vec![text(&[3])], Priority::Background, None);
    until(|| !order.lock().is_empty());
    let waiting = worker.submit(vec![text(&[4])], Priority::Background, None);
    let going = thread::spawn(move || drop(worker));
    let error = waiting.wait(None).unwrap_err();
    assert!(matches!(error, ModelError::Failed { .. }), "{error:?}");
    drop(held);
    going.join().unwrap();
}
