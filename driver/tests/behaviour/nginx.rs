//! A real nginx on a free port, alone in its process, so that it can be frozen.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// nginx with one page, `/`; it ends when dropped.
pub struct Nginx {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Nginx {
    /// Starts nginx and waits until it answers.
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        fs::write(folder.path().join("nginx.conf"), configuration(port)).expect("a file");
        let process = Command::new("nginx")
            .args(["-e", "error.log", "-c", "nginx.conf", "-p"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .spawn()
            .expect("nginx; install it with `apt install nginx-light`");
        let given_up = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < given_up, "nginx does not listen on port {port}");
            std::thread::sleep(Duration::from_millis(5));
        }
        Self { process, port, _folder: folder }
    }

    /// The address for a plan.
    pub fn target(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Lets nginx do nothing at all for this long.
    pub fn freeze(&self, duration: Duration) {
        self.signal(Signal::SIGSTOP);
        std::thread::sleep(duration);
        self.signal(Signal::SIGCONT);
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.process.id().try_into().expect("a process id")), signal).expect("it runs");
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configuration(port: u16) -> String {
    format!(
        "daemon off; master_process off; pid nginx.pid;
        events {{ worker_connections 1000; }}
        http {{
            access_log off;
            keepalive_requests 1000000;
            client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi; scgi_temp_path scgi;
            server {{ listen 127.0.0.1:{port}; location / {{ return 200 'fine'; }} }}
        }}
        "
    )
}
