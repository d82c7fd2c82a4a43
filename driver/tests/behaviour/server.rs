//! A server on a free port that answers as a test wants it, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use socket2::{Domain, Socket, Type};

/// A request as the server read it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of the connection it came over, from 0.
    pub connection: usize,
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// What becomes of the connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Keep,
    Close,
}

/// The server; it ends when dropped.
pub struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Request>>>,
    ended: Arc<AtomicBool>,
}

impl Server {
    /// Answers each request with these bytes and keeps the connection.
    pub fn responding(response: impl Fn(&Request) -> String + Send + Sync + 'static) -> Self {
        Self::talking(move |request, stream| {
            let _ = stream.write_all(response(request).as_bytes());
            Then::Keep
        })
    }

    /// Answers each request as it likes.
    pub fn talking(talk: impl Fn(&Request, &mut TcpStream) -> Then + Send + Sync + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let listen = move |connection, mut stream: TcpStream| {
            let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
            while let Some(request) = read_request(&mut reader, connection) {
                kept.lock().expect("no panic").push(request.clone());
                if talk(&request, &mut stream) == Then::Close {
                    break;
                }
            }
        };
        let mut server = Self::raw(listen);
        server.seen = seen;
        server
    }

    /// Does with each connection what it likes.
    pub fn raw(serve: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let ended = Arc::new(AtomicBool::new(false));
        let (serve, stop) = (Arc::new(serve), Arc::clone(&ended));
        let connections = AtomicUsize::new(0);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                let serve = Arc::clone(&serve);
                let connection = connections.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || serve(connection, stream));
            }
        });
        Self { address, seen: Arc::default(), ended }
    }

    /// The address for a plan.
    pub fn target(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        self.seen.lock().expect("no panic").clear();
    }

    /// All requests so far, in the order in which they were read.
    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// A server that accepts nobody: its queue is full.
pub struct Busy {
    address: SocketAddr,
    _listener: Socket,
    _queued: TcpStream,
}

impl Busy {
    pub fn start() -> Self {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let address: SocketAddr = "127.0.0.1:0".parse().expect("an address");
        listener.bind(&address.into()).expect("a free port");
        listener.listen(0).expect("a queue of one");
        let address = listener.local_addr().expect("an address").as_socket().expect("an address");
        let queued = TcpStream::connect(address).expect("the only place in the queue");
        Self { address, _listener: listener, _queued: queued }
    }

    /// The address for a plan.
    pub fn target(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// A page of status 200.
pub fn page(body: &str) -> String {
    response("200 OK", "", body)
}

/// A response with more header lines, each ended by CR LF.
pub fn response(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

fn read_request(reader: &mut BufReader<TcpStream>, connection: usize) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let mut words = lines.first()?.split(' ').map(str::to_owned);
    let split =
        |line: &String| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut request = Request {
        connection,
        method: words.next()?,
        path: words.next()?,
        headers: lines[1..].iter().filter_map(split).collect(),
        body: String::new(),
    };
    let length = request.header("Content-Length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8(body).expect("text");
    Some(request)
}
