//! A proxy that cuts connections after a number of bytes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A proxy before a server, which cuts its connections on demand. It ends with the process.
#[derive(Debug)]
pub struct CuttingProxy {
    port: u16,
    /// How many more bytes pass, in both directions, before a connection is cut; negative for no limit.
    left: Arc<AtomicI64>,
    cuts: Arc<AtomicU64>,
}

impl CuttingProxy {
    /// Starts a proxy before a server, given by its host and port.
    ///
    /// # Panics
    /// No port is free.
    pub fn before(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let (left, cuts) = (Arc::new(AtomicI64::new(-1)), Arc::new(AtomicU64::new(0)));
        let (host, shared) = (server.to_owned(), (Arc::clone(&left), Arc::clone(&cuts)));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&host) else { continue };
                for end in [&client, &server] {
                    end.set_nodelay(true).expect("open");
                }
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().expect("open"), to.try_clone().expect("open"));
                    let (left, cuts) = shared.clone();
                    std::thread::spawn(move || pass(from, to, &left, &cuts));
                }
            }
        });
        Self { port, left, cuts }
    }

    /// The port of this machine that clients connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts the connection over which that many more bytes have passed; never, if it is negative.
    pub fn cut_after(&self, bytes: i64) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// How many times it was cut.
    pub fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::SeqCst)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, left: &AtomicI64, cuts: &AtomicU64) {
    let mut buffer = [0; 4096];
    while let Ok(count) = from.read(&mut buffer) {
        let mut passes = count;
        let allowed = left.load(Ordering::SeqCst);
        if allowed >= 0 && left.fetch_sub(count as i64, Ordering::SeqCst) < count as i64 {
            // The last message is torn.
            passes = usize::try_from(allowed).unwrap_or_default().min(count);
            if left.swap(-1, Ordering::SeqCst) != -1 {
                cuts.fetch_add(1, Ordering::SeqCst);
            }
        }
        if count == 0 || to.write_all(&buffer[..passes]).is_err() || passes < count {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
