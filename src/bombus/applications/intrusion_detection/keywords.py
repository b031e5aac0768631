# SPDX-License-Identifier: Apache-2.0
"""The meaning of rule keywords for the compiler."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Do not concern packets.
SILENT = _words(
    """msg sid rev gid classtype reference metadata priority target rem fast_pattern prefilter"""
)
# Treated as contents that cannot be looked up, since later ones may be relative to them.
MOVES_CURSOR = _words(
    "pcre byte_jump byte_extract byte_math base64_decode asn1 regex sd_pattern lua luajit"
)
# Conditions that leave the cursor where it is.
KEEPS_CURSOR = _words(
    """flow flowbits flowint xbits hostbits threshold detection_filter tag byte_test isdataat bsize
    urilen ttl tos id ipopts fragbits fragoffset flags seq ack window itype icode icmp_id icmp_seq
    ip_proto sameip stream_size rpc noalert geoip iprep app-layer-event decode-event stream-event
    engine-event app-layer-protocol ssl_version ssl_state tls.version ssh.protoversion filesize
    fileext filemagic filename filestore tcp.mss absent entropy replace requires ftpbounce
    service alert bypass tls_store tcp.ack tcp.seq tcp.window tcp.flags flowvar pktvar ipv4-csum
    tcpv4-csum tcpv6-csum udpv4-csum udpv6-csum icmpv4-csum icmpv6-csum dataset datarep nfq_set_mark
    frame flow.age nfs_procedure nfs.version ssh.softwareversion http2.frametype http2.errorcode
    http2.priority http2.window http2.size_update http2.settings dcerpc.iface dcerpc.opnum dce_iface
    dce_opnum config filemd5 filesha1 filesha256 l3_proto modbus cip_service enip_command dnp3_func
    dnp3_ind dnp3_obj krb5_err_code krb5_msg_type krb5.ticket_encryption rfb.secresult rfb.sectype
    template2 icmpv6.mtu ftpdata_command dhcp.leasetime dhcp.rebinding_time dhcp.renewal_time
    snmp.version snmp.pdu_type mqtt.type mqtt.flags mqtt.qos mqtt.protocol_version
    mqtt.reason_code mqtt.connect.flags mqtt.connack.session_present ike.exchtype
    ike.chosen_sa_attribute ike.key_exchange_payload_length ike.nonce_payload_length
    tls.issuerdn tls.subject tls.fingerprint tls_cert_notbefore tls_cert_notafter tls_cert_expired
    tls_cert_valid tls.cert_chain_len dns.opcode"""
)

# The packets' protocols, as bits of a set, and the layers above them.
TCP, UDP, ICMP, OTHER = 1, 2, 4, 8
ALL = TCP | UDP | ICMP | OTHER
PACKET_PROTOCOLS = {"tcp": TCP, "tcp-pkt": TCP, "udp": UDP, "icmp": ICMP, "ip": ALL}
OTHER_PROTOCOLS = {
    "tcp-stream": TCP,
    **dict.fromkeys(
        _words(
            """http http1 http2 doh2 tls ssl ssh ftp ftp-data smtp smb imap pop3 pop rdp modbus
            dnp3 rfb mqtt telnet websocket pgsql file"""
        ),
        TCP,
    ),
    **dict.fromkeys(_words("tftp snmp ntp dhcp ike ikev2 quic bittorrent-dht"), UDP),
    **dict.fromkeys(_words("dns dcerpc krb5 sip enip nfs ldap"), TCP | UDP),
    **dict.fromkeys(("pkthdr", "ipv4", "ip4"), ALL),
}

# Buffers whose bytes appear unchanged in packets.
VERBATIM = _words(
    """http.method http.protocol http.start http.request_line http.response_line http.stat_msg
    http.stat_code http.uri.raw http.header.raw tls.sni dns.query ssh.software ssh.proto smtp.helo
    smtp.mail_from smtp.rcpt_to ftp.command"""
)
# Buffers that equal the packet's bytes unless those are encoded, folded, compressed or in chunks.
# A value of an HTTP header may be folded, or come in parts that are joined.
NORMALISED = _words(
    """http.uri http.header http.request_header http.response_header http.request_body
    http.response_body http.user_agent http.cookie http.referer http.content_type http.accept
    http.accept_enc http.accept_lang http.content_len http.connection http.host http.host.raw
    http.server http.location file.data sip.uri sip.method sip.request_line sip.stat_msg
    smb.named_pipe smb.share"""
)
# Others; contents in them are not looked up.
DERIVED = _words(
    """dns.rcode dns.rrtype ftp.reply http.header_names http.trailer ja3.hash ja3.string
    ja3s.hash ja3s.string ja4.hash krb5.cname krb5.sname snmp.community snmp.usm ssh.hassh
    ssh.hassh.string ssh.hassh.server ssh.hassh.server.string tls.alpn
    tls.cert_fingerprint tls.cert_issuer tls.cert_serial tls.cert_subject tls.certs
    tls.random tls.random_bytes tls.random_time tls.subjectaltname
    ipv4.hdr ipv6.hdr tcp.hdr udp.hdr icmpv4.hdr icmpv6.hdr rfb.name
    mqtt.connect.clientid mqtt.connect.username mqtt.publish.message mqtt.publish.topic
    smb.ntlmssp_user smb.ntlmssp_domain base64_data js_data vba_data dce_stub_data http_param
    http_version http_trailer http_raw_trailer http_raw_body
    http_true_ip http_num_headers http_header_test ip.src ip.dst http2.header_name dcerpc.stub_data
    file.name file.magic dnp3.data sip.protocol sip.stat_code sip.response_line
    mqtt.connect.password mqtt.connect.willtopic mqtt.connect.willmessage mqtt.subscribe.topic
    mqtt.unsubscribe.topic quic.version quic.sni quic.ua quic.cyu.hash quic.cyu.string
    ike.init_spi ike.resp_spi ike.vendor ike.nonce_payload ike.key_exchange_payload"""
)
BUFFERS = VERBATIM | NORMALISED | DERIVED
# Legacy names: as modifiers of the previous content, or as buffers.
OLD_MODIFIERS = {
    "http_method": "http.method",
    "http_uri": "http.uri",
    "http_raw_uri": "http.uri.raw",
    "http_user_agent": "http.user_agent",
    "http_header": "http.header",
    "http_raw_header": "http.header.raw",
    "http_cookie": "http.cookie",
    "http_client_body": "http.request_body",
    "http_server_body": "http.response_body",
    "http_host": "http.host",
    "http_raw_host": "http.host.raw",
    "http_stat_code": "http.stat_code",
    "http_stat_msg": "http.stat_msg",
    "uricontent": "http.uri",
}
OLD_BUFFERS = {
    "file_data": "file.data",
    "dns_query": "dns.query",
    "ja3_hash": "ja3.hash",
    "ja3_string": "ja3.string",
    "tls_cert_subject": "tls.cert_subject",
    "tls_cert_issuer": "tls.cert_issuer",
    "tls_cert_serial": "tls.cert_serial",
    "tls_cert_fingerprint": "tls.cert_fingerprint",
    "ssh_proto": "ssh.proto",
    "ssh_software": "ssh.software",
    "http_header_names": "http.header_names",
    "http_response_line": "http.response_line",
    "http_accept_lang": "http.accept_lang",
    "http_accept_enc": "http.accept_enc",
    "http_content_len": "http.content_len",
    "dnp3_data": "dnp3.data",
    "krb5_cname": "krb5.cname",
    "krb5_sname": "krb5.sname",
    "smb_named_pipe": "smb.named_pipe",
    "smb_share": "smb.share",
    "tls_sni": "tls.sni",
    "http_request_line": "http.request_line",
    "http_protocol": "http.protocol",
    "http_start": "http.start",
    "http_accept": "http.accept",
    "http_content_type": "http.content_type",
    "http_referer": "http.referer",
    "http_connection": "http.connection",
    "http.client_body": "http.request_body",
    "http.server_body": "http.response_body",
    "dns.query.name": "dns.query",
    "dns.queries.rrname": "dns.query",
}
TRANSFORMS = _words(
    """to_lowercase to_uppercase header_lowercase strip_whitespace strip_pseudo_headers
    compress_whitespace to_md5 to_sha1 to_sha256 url_decode xor pcrexform from_base64
    casechange domain tld luaxform"""
)
# A dot is put before the buffer; the others change its bytes.
DOT_PREFIX = "dotprefix"

_FLAGS = _words(
    """nocase rawbytes startswith endswith sameip ftpbounce noalert alert bypass prefilter tls_store
    tls_cert_expired tls_cert_valid pkt_data"""
)
_OPTIONAL = _words("fast_pattern filestore base64_decode rem service sd_pattern replace")
# As `suricata --list-keywords` has them. Snort gives some buffers a value: those named http_...
WITHOUT_VALUE = (
    _FLAGS
    | {name for name in BUFFERS | OLD_BUFFERS.keys() if not name.startswith("http_")}
    | (TRANSFORMS - _words("xor pcrexform casechange luaxform from_base64"))
    | {DOT_PREFIX}
)
WITH_VALUE = (SILENT | MOVES_CURSOR | KEEPS_CURSOR) - _FLAGS - _OPTIONAL | _words(
    "content uricontent dsize depth distance within offset xor pcrexform"
)
KNOWN = WITH_VALUE | WITHOUT_VALUE | BUFFERS | _OPTIONAL | OLD_MODIFIERS.keys() | OLD_BUFFERS.keys()
