//! A real nginx on a free port and a Unix socket, which tells how it was talked to; alone in its process, so that it can
//! be frozen.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// What nginx writes about each request; numbers are texts too.
const LOG: &str = r#"log_format fields escape=json '{"connection":"$connection","protocol":"$server_protocol",'
    '"method":"$request_method","uri":"$request_uri","status":"$status","authorization":"$http_authorization",'
    '"from":"$remote_addr","close":"$http_connection","host":"$http_host",'
    '"accepts":"$http_accept_encoding","zipped":"$sent_http_content_encoding",'
    '"tls":"$ssl_protocol","resumed":"$ssl_session_reused","client":"$ssl_client_s_dn"}';"#;

/// Where nginx lies besides `PATH`: Debian keeps it where an ordinary user does not look.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

fn program() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain(PLACES.map(PathBuf::from));
    let found = places.map(|place| place.join("nginx")).find(|program| program.is_file());
    found.expect("nginx is not installed: apt-get install -y nginx-light")
}

/// A running nginx; it ends when dropped.
pub struct Nginx {
    process: Child,
    folder: TempDir,
    port: u16,
    scheme: &'static str,
}

impl Nginx {
    /// Serves one page, `/`.
    pub fn start() -> Self {
        Self::with_files(&[("index.html", "fine")])
    }

    /// Serves these files, `(name, content)`.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        Self::with("", files)
    }

    /// Serves these files with more directives of `server`.
    pub fn with(directives: &str, files: &[(&str, &str)]) -> Self {
        Self::listening("http", directives, files)
    }

    /// Serves these files over TLS; the directives name the certificate.
    pub fn encrypted(directives: &str, files: &[(&str, &str)]) -> Self {
        Self::listening("https", directives, files)
    }

    fn listening(scheme: &'static str, directives: &str, files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let root = folder.path().join("root");
        fs::create_dir(&root).expect("a folder");
        for (name, content) in files {
            fs::write(root.join(name), content).expect("a file");
        }
        fs::write(
            folder.path().join("nginx.conf"),
            configuration(port, if scheme == "https" { "ssl" } else { "" }, directives),
        )
        .expect("a file");
        drop(listener);
        let process = Command::new(program())
            .args(["-e", "stderr", "-c", "nginx.conf", "-p"])
            .arg(folder.path())
            // A relative Unix socket lies where nginx was started.
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("nginx starts");
        let nginx = Self { process, folder, port, scheme };
        nginx.wait_until_it_listens();
        nginx
    }

    /// The address for a plan.
    pub fn target(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// The Unix socket on which it listens too.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("nginx.sock")
    }

    /// Lets nginx do nothing at all for this long.
    pub fn freeze(&self, duration: Duration) {
        self.signal(Signal::SIGSTOP);
        std::thread::sleep(duration);
        self.signal(Signal::SIGCONT);
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        fs::write(self.folder.path().join("requests"), "").expect("a log");
    }

    /// Ends it and tells every request, in the order in which they were answered.
    pub fn end(mut self) -> Vec<Value> {
        self.quit();
        let log = fs::read_to_string(self.folder.path().join("requests")).expect("a log");
        log.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
    }

    fn wait_until_it_listens(&self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "nginx does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn signal(&self, signal: Signal) {
        // It may have ended already.
        let _ = kill(Pid::from_raw(self.process.id().try_into().expect("a process id")), signal);
    }

    fn quit(&mut self) {
        self.signal(Signal::SIGQUIT);
        let _ = self.process.wait();
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.quit();
    }
}

fn configuration(port: u16, ssl: &str, directives: &str) -> String {
    format!(
        "daemon off; master_process off; pid nginx.pid; worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
    {LOG}
    access_log requests fields;
    default_type text/html; keepalive_requests 1000000; lingering_close off;
    client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
    server {{
        listen 127.0.0.1:{port} {ssl}; listen unix:nginx.sock;
        root root; index index.html;
        {directives}
    }}
}}
"
    )
}
