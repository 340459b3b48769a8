#!/usr/bin/env python3
"""Random requests signed by awscrt, AWS's own C signer: sigv4_vectors.py COUNT > FILE. One a line, fields split by tabs, lists by
U+001F and U+001E: method, host, path, query, headers, payload hash, service, token, time, Authorization."""
import datetime
import hashlib
import random
import sys
from urllib.parse import quote

from awscrt import auth, http

LETTERS = "abcXYZ019-_.~ +&=%?#/:;,@$!*'()[]é日本ÿ\\\"<>|^`{}👍"
ACCESS, SECRET, REGION, HOST = "AKIDEX", "sEcrEt/+=", "us-west-2", "127.0.0.1:9300"


def text(length):
    return "".join(random.choice(LETTERS) for _ in range(random.randint(1, length)))


def percents(value, safe=""):
    return quote(value.encode(), safe="-_.~" + safe)


def joined(pairs):
    return "\x1f".join(f"{name}\x1e{value}" for name, value in pairs)


def main():
    random.seed(7)
    for index in range(int(sys.argv[1])):
        is_s3 = random.random() < 0.7
        method, service = random.choice(["GET", "PUT", "POST", "DELETE", "HEAD"]), "s3" if is_s3 else random.choice(["dynamodb", "cognito-identity"])
        path = "/" + ("bkt/" + text(30) if is_s3 else "")
        query = list({text(8): text(12) if random.random() < 0.8 else "" for _ in range(random.randint(0, 5))}.items()) if is_s3 else []
        headers = [] if not is_s3 else [("x-amz-meta-" + random.choice("abc"), "v  %d   w" % index), ("content-type", "text/csv")] if random.random() < 0.5 else []
        if not is_s3:
            headers = [("content-type", "application/x-amz-json-1.0"), ("x-amz-target", "DynamoDB_20120810.Query")]
        token = "TOK/+=%d" % index if random.random() < 0.5 else ""
        time = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=index * 997)
        payload = "UNSIGNED-PAYLOAD" if is_s3 and random.random() < 0.2 else hashlib.sha256(random.randbytes(random.randint(0, 50))).hexdigest()
        target = percents(path, "/") + ("?" + "&".join(f"{percents(a)}={percents(b)}" for a, b in query) if query else "")
        request = http.HttpRequest(method, target, http.HttpHeaders([("Host", HOST)] + headers), None)
        body_header = auth.AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256 if is_s3 else auth.AwsSignedBodyHeaderType.NONE
        config = auth.AwsSigningConfig(
            algorithm=auth.AwsSigningAlgorithm.V4, signature_type=auth.AwsSignatureType.HTTP_REQUEST_HEADERS,
            credentials_provider=auth.AwsCredentialsProvider.new_static(ACCESS, SECRET, token or None), region=REGION, service=service, date=time,
            use_double_uri_encode=not is_s3, should_normalize_uri_path=not is_s3, signed_body_value=payload, signed_body_header_type=body_header)
        signed = dict((name.lower(), value) for name, value in auth.aws_sign_request(request, config).result(10).headers)
        print("\t".join([method, HOST, path, joined(query), joined(headers), payload, service, token, str(int(time.timestamp())), signed["authorization"]]))


main()
