// SPDX-License-Identifier: Apache-2.0
//! TCP of smoltcp in virtual time: a client that sends or receives so many bytes.
//!
//!     lockstep ADDRESS PEER PORT send|receive BYTES
//!
//! Each message on standard input is the time and the frames that arrive at that time; each answer
//! is when smoltcp wants to be asked again at the latest (all ones: when frames arrive), and the
//! frames that it sends: a word of 64 bits, a word of 32 bits with the number of frames, and each
//! frame behind a word of 32 bits with its length, all little-endian. Times are in microseconds.
//! Exits with 0 at the end of its input if all bytes were sent and acknowledged, or received as
//! expected. Byte n of a transfer is n ^ n >> 8.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::Ipv4Addr;
use std::process::exit;

use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, IpAddress, IpCidr};

const MAC: EthernetAddress = EthernetAddress([0x02, 0, 0, 0, 0, 0x51]);
const PREFIX: u8 = 24;
const FRAME: usize = 1514;
const BUFFER: usize = 65_535;
const OWN_PORT: u16 = 49_152;

/// What is on the wire in both directions.
#[derive(Default)]
struct Wire {
    came: VecDeque<Vec<u8>>,
    sent: Vec<Vec<u8>>,
}

struct Came(Vec<u8>);
struct Sends<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Came {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, take: F) -> R {
        take(&self.0)
    }
}

impl TxToken for Sends<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut frame = vec![0; length];
        let result = fill(&mut frame);
        self.0.push(frame);
        result
    }
}

impl Device for Wire {
    type RxToken<'a> = Came;
    type TxToken<'a> = Sends<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Came, Sends<'_>)> {
        let frame = self.came.pop_front()?;
        Some((Came(frame), Sends(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sends<'_>> {
        Some(Sends(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut found = DeviceCapabilities::default();
        found.medium = Medium::Ethernet;
        found.max_transmission_unit = FRAME;
        found
    }
}

fn fail(why: &str) -> ! {
    eprintln!("lockstep: {why}");
    exit(1)
}

fn argument<T: std::str::FromStr>(place: usize) -> T {
    match std::env::args().nth(place).and_then(|text| text.parse().ok()) {
        Some(value) => value,
        None => fail("ADDRESS PEER PORT send|receive BYTES"),
    }
}

fn byte(place: usize) -> u8 {
    (place ^ place >> 8) as u8
}

fn word(input: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// The time and the frames of a message; an error at the end of the input.
fn message(input: &mut impl Read, frames: &mut VecDeque<Vec<u8>>) -> io::Result<i64> {
    let low = word(input)?;
    let high = word(input)?;
    for _ in 0..word(input)? {
        let mut frame = vec![0; word(input)? as usize];
        input.read_exact(&mut frame)?;
        frames.push_back(frame);
    }
    Ok(i64::from(high) << 32 | i64::from(low))
}

fn answer(output: &mut impl Write, wake: u64, frames: &mut Vec<Vec<u8>>) -> io::Result<()> {
    output.write_all(&wake.to_le_bytes())?;
    output.write_all(&(frames.len() as u32).to_le_bytes())?;
    for frame in frames.drain(..) {
        output.write_all(&(frame.len() as u32).to_le_bytes())?;
        output.write_all(&frame)?;
    }
    output.flush()
}

fn main() {
    let address: Ipv4Addr = argument(1);
    let peer: Ipv4Addr = argument(2);
    let port: u16 = argument(3);
    let sends = match argument::<String>(4).as_str() {
        "send" => true,
        "receive" => false,
        _ => fail("send or receive"),
    };
    let size: usize = argument(5);
    let mut wire = Wire::default();
    let mut iface = Interface::new(Config::new(MAC.into()), &mut wire, Instant::ZERO);
    iface.update_ip_addrs(|all| {
        all.push(IpCidr::new(IpAddress::Ipv4(address), PREFIX)).expect("room for an address");
    });
    let buffer = || SocketBuffer::new(vec![0; BUFFER]);
    let mut client = Socket::new(buffer(), buffer());
    client.connect(iface.context(), (peer, port), OWN_PORT).expect("a new socket connects");
    let mut sockets = SocketSet::new(vec![]);
    let handle = sockets.add(client);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut done = 0; // bytes
    while let Ok(time) = message(&mut input, &mut wire.came) {
        let now = Instant::from_micros(time);
        iface.poll(now, &mut wire, &mut sockets);
        let socket = sockets.get_mut::<Socket>(handle);
        while sends && socket.can_send() && done < size {
            let end = size.min(done + BUFFER);
            let bytes: Vec<u8> = (done..end).map(byte).collect();
            done += socket.send_slice(&bytes).expect("there is space");
        }
        while !sends && socket.can_recv() {
            let count = socket
                .recv(|part| {
                    if !part.iter().enumerate().all(|(n, came)| *came == byte(done + n)) {
                        fail("other bytes");
                    }
                    (part.len(), part.len())
                })
                .expect("bytes are there");
            done += count;
        }
        let live = !matches!(socket.state(), State::Closed | State::TimeWait);
        if live && done == size && socket.may_send() {
            socket.close();
        }
        iface.poll(now, &mut wire, &mut sockets);
        let wake = iface.poll_at(now, &sockets).map_or(u64::MAX, |at| at.total_micros() as u64);
        answer(&mut output, wake, &mut wire.sent).expect("somebody reads");
    }
    let socket = sockets.get_mut::<Socket>(handle);
    if done != size || (sends && socket.send_queue() > 0) {
        fail("bytes are missing");
    }
}
