"""Verifies an export of the audit log with Python 3.8 or later and the openssl program (3.0 or later), nothing else.

Usage: python3 verify_audit.py EXPORT PUBLIC-KEY.pem ["SEQ HASH" of a head that was noted] [COMMIT of an expected restart]
"""
import base64, hashlib, hmac, json, subprocess, sys, tempfile

export, key, head, restart = (sys.argv[1:] + [None] * 4)[:4]
head_seq, head_hash = head.split() if head else (None, None)
most_unsigned, text_members = 2000, ["detail", "salt", "seq", "target"]


def stop(problem):
    sys.exit(f"BROKEN: {problem}")


def written(value, in_order=False):
    """As an export writes it; in order as RFC 8785 does, as far as flat objects of text, whole numbers and null go."""
    return json.dumps(value, sort_keys=in_order, separators=(",", ":"), ensure_ascii=False)


def is_signed(members, signature):
    raw = base64.b64decode(signature)
    with tempfile.NamedTemporaryFile() as signed, tempfile.NamedTemporaryFile() as proof:
        for file, content in ((signed, written(members, True).encode()), (proof, raw)):
            file.write(content)
            file.flush()
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin"]
        done = subprocess.run(command + ["-in", signed.name, "-sigfile", proof.name], capture_output=True)
    return done.returncode == 0 and base64.b64encode(raw).decode() == signature


def check_text(record, text):
    salt = bytes.fromhex(text["salt"])
    if sorted(text) != text_members or written([text["seq"], text["salt"]]) != written([record["seq"], salt.hex()]):
        stop(f"the text of record {record['seq']} has more in it than belongs there")
    for part in ("target", "detail"):
        if text[part] is None:
            continue
        # Early versions exported a committed U+FFFD as three of them.
        readings = {text[part], text[part].replace("\ufffd" * 3, "\ufffd") if part == "target" else text[part]}
        if not any(hmac.new(salt, each.encode(), "sha256").hexdigest() == record[part] for each in readings):
            stop(f"the {part} of record {record['seq']} was changed")


seq, last, signed_at, closed = 0, "0" * 64, 0, False
for line in open(export, encoding="utf-8", newline="\n"):
    entry = json.loads(line)
    # What no hash covers must not be there: a member twice or more, or another spelling.
    if written(entry) != line.rstrip("\n") or " ".join(sorted(entry)) not in ("record", "record text", "checkpoint"):
        stop(f"the line after record {seq} is not as an export writes it")
    if closed:
        stop(f"something follows the closing signature, after record {seq}")
    if "checkpoint" in entry:
        members = entry["checkpoint"]
        signature = members.pop("signature")
        if (members["seq"], members["hash"]) != (seq, last) or not is_signed(members, signature):
            stop(f"the signature over record {members['seq']} is false")
        signed_at, closed = seq, members["closing"]
        continue
    record = entry["record"]
    claimed = record.pop("hash")
    if record["seq"] != seq + 1 or record["prev_hash"] != last:
        stop(f"record {seq + 1} is missing, or stands elsewhere")
    if hashlib.sha256(written(record, True).encode()).hexdigest() != claimed:
        stop(f"record {seq + 1} was changed")
    if "text" in entry:
        check_text(record, entry["text"])
    if seq == 0 and record["action"] == "workspace.recover" and record["version"] != restart:
        stop(f"the log was restarted at {record['at']} from commit {record['version']}")
    seq, last = seq + 1, claimed
    if seq - signed_at > most_unsigned:
        stop(f"no signature follows record {signed_at}")
    if str(seq) == head_seq and last != head_hash:
        stop(f"record {seq} is not the one that was noted")
if not closed:
    stop(f"the export breaks off after record {seq}")
if head and int(head_seq) > seq:
    stop(f"record {head_seq} was noted, and the export ends at {seq}")
print(f"sound: {seq} records, the last is {last}")
