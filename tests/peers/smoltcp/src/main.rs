// SPDX-License-Identifier: Apache-2.0
//! TCP of smoltcp as a peer, with a MAC address of its own on an interface of Linux.
//!
//!     smoltcp-peer INTERFACE ADDRESS client PEER PORT FILE...
//!     smoltcp-peer INTERFACE ADDRESS server PORT CONNECTIONS
//!
//! The client sends each file on a connection of its own, all at once, closes, and writes what
//! comes back to FILE.back. The server sends back what comes, on so many connections, and ends.

use std::collections::VecDeque;
use std::fs;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::process::exit;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Medium, RawSocket, wait};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};

const MAC: EthernetAddress = EthernetAddress([0x02, 0, 0, 0, 0, 0x51]);
const PREFIX: u8 = 24;
const BUFFER: usize = 65_535;
/// Without any progress.
const PATIENCE: Duration = Duration::from_secs(120);

/// One connection: what is still to be sent, and what has come.
struct Transfer {
    handle: SocketHandle,
    echoes: bool,
    out: VecDeque<u8>,
    came: Vec<u8>,
    open: bool,
    done: bool,
}

impl Transfer {
    fn new(handle: SocketHandle, echoes: bool, out: Vec<u8>) -> Self {
        Self { handle, echoes, out: out.into(), came: Vec::new(), open: false, done: false }
    }

    /// Whether anything has changed.
    fn step(&mut self, socket: &mut Socket) -> bool {
        let before = (socket.state(), self.came.len(), self.out.len());
        self.open |= socket.may_send();
        let mut received = false;
        while socket.can_recv() {
            let part = socket.recv(|data| (data.len(), data.to_vec())).expect("bytes are there");
            received = true;
            if self.echoes {
                self.out.extend(part);
            } else {
                self.came.extend(part);
            }
        }
        while socket.can_send() && !self.out.is_empty() {
            let part = self.out.make_contiguous();
            let count = socket.send_slice(part).expect("there is space");
            self.out.drain(..count);
        }
        let ended = !self.echoes || (self.open && !socket.may_recv());
        if ended && self.out.is_empty() && socket.may_send() {
            socket.close();
        }
        // A server that is closed has been acknowledged; a client waits for the peer's end.
        self.done = self.open && matches!(socket.state(), State::Closed | State::TimeWait);
        received || before != (socket.state(), self.came.len(), self.out.len())
    }
}

fn fail(why: &str) -> ! {
    eprintln!("smoltcp-peer: {why}");
    exit(1)
}

fn number<T: std::str::FromStr>(text: Option<&String>) -> T {
    match text.and_then(|text| text.parse().ok()) {
        Some(value) => value,
        None => fail("INTERFACE ADDRESS client PEER PORT FILE... or server PORT CONNECTIONS"),
    }
}

fn socket() -> Socket<'static> {
    let buffer = || SocketBuffer::new(vec![0; BUFFER]);
    Socket::new(buffer(), buffer())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let interface: String = number(arguments.first());
    let address: Ipv4Addr = number(arguments.get(1));
    let role: String = number(arguments.get(2));
    let mut device = match RawSocket::new(&interface, Medium::Ethernet) {
        Ok(device) => device,
        Err(error) => fail(&format!("{interface}: {error}")),
    };
    let fd = device.as_raw_fd();
    let mut config = Config::new(MAC.into());
    config.random_seed = u64::from(std::process::id());
    let mut iface = Interface::new(config, &mut device, Instant::now());
    iface.update_ip_addrs(|all| {
        all.push(IpCidr::new(IpAddress::Ipv4(address), PREFIX)).expect("room for an address");
    });
    let mut sockets = SocketSet::new(vec![]);
    let mut transfers = Vec::new();
    let mut files: &[String] = &[];
    match role.as_str() {
        "client" => {
            let peer: Ipv4Addr = number(arguments.get(3));
            let port: u16 = number(arguments.get(4));
            files = &arguments[5..];
            for (own, name) in (49_152..).zip(files) {
                let bytes = fs::read(name).unwrap_or_else(|error| fail(&format!("{name}: {error}")));
                let handle = sockets.add(socket());
                sockets
                    .get_mut::<Socket>(handle)
                    .connect(iface.context(), (peer, port), own)
                    .expect("a new socket connects");
                transfers.push(Transfer::new(handle, false, bytes));
            }
        }
        "server" => {
            let port: u16 = number(arguments.get(3));
            for _ in 0..number(arguments.get(4)) {
                let mut listener = socket();
                listener.listen(port).expect("a new socket listens");
                transfers.push(Transfer::new(sockets.add(listener), true, Vec::new()));
            }
            println!("ready");
        }
        _ => fail("client or server"),
    }
    let mut end = Instant::now() + PATIENCE;
    while transfers.iter().any(|transfer| !transfer.done) {
        let now = Instant::now();
        if now > end {
            fail("nothing has moved for too long");
        }
        iface.poll(now, &mut device, &mut sockets);
        for transfer in &mut transfers {
            if transfer.step(sockets.get_mut(transfer.handle)) {
                end = now + PATIENCE;
            }
        }
        iface.poll(Instant::now(), &mut device, &mut sockets);
        let delay = iface.poll_delay(Instant::now(), &sockets).unwrap_or(Duration::from_millis(100));
        wait(fd, Some(delay.min(Duration::from_millis(100)))).expect("poll");
    }
    for (name, transfer) in files.iter().zip(&transfers) {
        fs::write(format!("{name}.back"), &transfer.came).expect("the file can be written");
    }
    println!("done");
}
