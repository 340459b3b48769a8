#!/usr/bin/env python3
"""moto 5.2.1 server behind a strict SigV4-verifying WSGI layer: S3, DynamoDB, cognito-identity, STS, IAM on one port.
usage: verifying_server.py PORT  -> prints one JSON line {port, admin_key, admin_secret, pool, role}
Why: plain moto checks nothing; INITIAL_NO_AUTH_ACTION_COUNT=0 checks policy+signature but rebuilds the signature from the
DECODED path (keys with + % & ( @ : or non-ASCII -> false SignatureDoesNotMatch), never compares x-amz-content-sha256 with the
body, never checks clock skew/expiry, and cognito returns the constants TESTACCESSKEY12345/ABCSECRETKEY/ABC12345.
Here the signature is rebuilt from the RAW request target; moto keeps doing the IAM policy decision.
POST /_fault {"n":2,"status":503,"code":"SlowDown","match":"PUT"} makes the next n matching requests fail (retry tests);
"drop":true closes the socket after the headers; "delay":s sleeps first. COGNITO_TTL=seconds sets credential life (default 3600)."""

import sys, os, json, datetime, hashlib, hmac, re, time, io
from urllib.parse import unquote_to_bytes, quote

port = int(sys.argv[1]) if len(sys.argv) > 1 else 9210
import moto.settings as st
from moto.core.authorization import ActionAuthenticatorMixin as A
from moto.core.utils import utcnow
from moto.cognitoidentity import models as ci
from moto.sts.models import sts_backends
from moto.iam.models import iam_backends
from moto.iam import access_control as ac

TTL = int(os.environ.get("COGNITO_TTL", "3600"))
SKEW = 900
ACC = "123456789012"
ROLE = {}
EXP = {}
FAULT = []
REGION = os.environ.get("REGION", "us-east-1")
PUBLIC = {"AWSCognitoIdentityService." + x for x in ("GetId", "GetOpenIdToken", "GetCredentialsForIdentity", "UnlinkIdentity")}
A.PUBLIC_OPERATIONS.append("AWSCognitoIdentityService.GetCredentialsForIdentity")


def get_credentials_for_identity(self, identity_id):
    r = sts_backends[self.account_id]["aws"].assume_role(
        role_session_name="CognitoIdentityCredentials",
        role_arn=ROLE["arn"],
        policy=None,
        duration=max(TTL, 900),
        external_id=None,
        region_name=self.region_name,
    )
    exp = utcnow() + datetime.timedelta(seconds=TTL)
    EXP[r.access_key_id] = exp
    return json.dumps(
        {
            "Credentials": {
                "AccessKeyId": r.access_key_id,
                "SecretKey": r.secret_access_key,
                "SessionToken": r.session_token,
                "Expiration": exp.timestamp(),
            },
            "IdentityId": identity_id,
        }
    )


ci.CognitoIdentityBackend.get_credentials_for_identity = get_credentials_for_identity
_gid = ci.CognitoIdentityBackend.get_id


def get_id(self, identity_pool_id):
    try:
        return _gid(self, identity_pool_id)  # plain moto: KeyError -> HTTP 500 for an unknown pool
    except KeyError:
        raise ci.ResourceNotFoundError(identity_pool_id)


ci.CognitoIdentityBackend.get_id = get_id
ac.IAMRequestBase.check_signature = lambda self: None  # done below, from the raw target


def secret(ak):
    for u in iam_backends[ACC]["aws"].list_users("/", None, None):
        for k in u.access_keys:
            if k.access_key_id == ak:
                return k.secret_access_key, None
    for a in sts_backends[ACC]["aws"].assumed_roles:
        if a.access_key_id == ak:
            return a.secret_access_key, a.session_token
    return None, None


def enc(b, safe=""):
    return quote(b, safe="-_.~" + safe)


class Deny(Exception):
    pass


def verify(env, body):
    raw = env.get("RAW_URI") or env["REQUEST_URI"]
    raw = re.sub(r"^https?://[^/]+", "", raw)
    path, _, qs = raw.partition("?")
    a = env.get("HTTP_AUTHORIZATION", "")
    if not a:
        raise Deny(403, "AccessDenied" if not env.get("HTTP_X_AMZ_TARGET") else "MissingAuthenticationTokenException", "no Authorization")
    m = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/,]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?SignedHeaders=([a-z0-9;_.-]+), ?Signature=([0-9a-f]{64})",
        a,
    )
    if not m:
        raise Deny(400, "AuthorizationHeaderMalformed", a)
    ak, d, region, svc, shs, sig = m.groups()
    sh = shs.split(";")
    H = {k[5:].replace("_", "-").lower(): v for k, v in env.items() if k.startswith("HTTP_")}
    for k in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if env.get(k):
            H[k.replace("_", "-").lower()] = env[k]
    if sh != sorted(sh) or "host" not in sh:
        raise Deny(400, "AuthorizationHeaderMalformed", "SignedHeaders " + shs)
    for k in H:
        if k.startswith("x-amz-") and k not in sh:
            raise Deny(403, "AccessDenied", "HeadersNotSigned " + k)
    if any(k not in H for k in sh):
        raise Deny(403, "SignatureDoesNotMatch", "signed header missing")
    ts = H.get("x-amz-date", "")
    try:
        t = datetime.datetime.strptime(ts, "%Y%m%dT%H%M%SZ")
    except ValueError:
        raise Deny(403, "AccessDenied", "x-amz-date")
    now = utcnow().replace(tzinfo=None)
    if abs((now - t).total_seconds()) > SKEW:
        raise Deny(403, "RequestTimeTooSkewed", "skew")
    if not ts.startswith(d):
        raise Deny(400, "AuthorizationHeaderMalformed", "date")
    if region != REGION:
        raise Deny(400, "AuthorizationHeaderMalformed", "the region '%s' is wrong; expecting '%s'" % (region, REGION))
    want = (
        "s3"
        if not H.get("x-amz-target") and not (H.get("content-type", "").startswith("application/x-www-form-urlencoded"))
        else {"DynamoDB": "dynamodb", "AWSCogn": "cognito-identity"}.get(
            H.get("x-amz-target", "")[: 7 if H.get("x-amz-target", "").startswith("AWS") else 8], svc
        )
    )
    if svc != want:
        raise Deny(403, "SignatureDoesNotMatch", "Credential should be scoped to correct service: '%s'" % want)
    sk, tok = secret(ak)
    if sk is None:
        raise Deny(403, "InvalidAccessKeyId" if svc == "s3" else "UnrecognizedClientException", ak)
    if (tok or "") != H.get("x-amz-security-token", ""):
        raise Deny(400 if svc == "s3" else 403, "InvalidToken" if svc == "s3" else "UnrecognizedClientException", "token")
    if ak in EXP and EXP[ak].replace(tzinfo=None) < now:
        raise Deny(400, "ExpiredToken" if svc == "s3" else "ExpiredTokenException", "The provided token has expired.")
    ph = H.get("x-amz-content-sha256")
    if svc == "s3":
        if not ph:
            raise Deny(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
        if len(ph) == 64 and hashlib.sha256(body).hexdigest() != ph:
            raise Deny(400, "XAmzContentSHA256Mismatch", "payload")
    else:
        ph = ph or hashlib.sha256(body).hexdigest()
    if svc != "s3" and hashlib.sha256(body).hexdigest() != ph:
        raise Deny(403, "InvalidSignatureException", "payload")
    cp = enc(unquote_to_bytes(path), "/")  # S3: encode once, no dot-segment normalisation
    if svc != "s3":
        cp = enc(cp, "/")
    q = [p.partition("=") for p in qs.split("&") if p]
    cq = "&".join(f"{k}={v}" for k, v in sorted((enc(unquote_to_bytes(k)), enc(unquote_to_bytes(v))) for k, _, v in q))
    cr = "\n".join([env["REQUEST_METHOD"], cp, cq, "".join(f"{k}:{' '.join(H[k].split())}\n" for k in sh), shs, ph])
    sts = "\n".join(["AWS4-HMAC-SHA256", ts, f"{d}/{region}/{svc}/aws4_request", hashlib.sha256(cr.encode("latin-1")).hexdigest()])
    k = ("AWS4" + sk).encode()
    for x in (d, region, svc, "aws4_request"):
        k = hmac.new(k, x.encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(hmac.new(k, sts.encode(), hashlib.sha256).hexdigest(), sig):
        raise Deny(403, "SignatureDoesNotMatch" if svc == "s3" else "InvalidSignatureException", "CanonicalRequest:\n" + cr)


class App:
    def __init__(s, app):
        s.app = app

    def __call__(s, env, start):
        body = env["wsgi.input"].read() if env.get("wsgi.input_terminated") else env["wsgi.input"].read(int(env.get("CONTENT_LENGTH") or 0))
        env["wsgi.input"] = io.BytesIO(body)
        p = env.get("PATH_INFO", "")

        def out(st_, code, msg):
            j = bool(env.get("HTTP_X_AMZ_TARGET"))
            b = (
                json.dumps({"__type": code, "message": msg})
                if j
                else f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{msg.replace("&","&amp;").replace("<","&lt;")}</Message></Error>'
            )
            start(f"{st_} X", [("Content-Type", "application/x-amz-json-1.1" if j else "application/xml")])
            return [b.encode()]

        if p == "/_fault":
            FAULT.append(json.loads(body))
            return out(200, "OK", "queued")
        if p.startswith("/moto-api/"):
            return s.app(env, start)
        sigline = env["REQUEST_METHOD"] + " " + p + " " + env.get("HTTP_X_AMZ_TARGET", "")
        for f in list(FAULT):
            if f.get("match", "") in sigline:
                f["n"] = f.get("n", 1) - 1
                if f["n"] <= 0:
                    FAULT.remove(f)
                time.sleep(f.get("delay", 0))
                if f.get("drop"):
                    env["werkzeug.socket"].shutdown(2)
                    start("503 X", [])
                    return []
                return out(f.get("status", 503), f.get("code", "SlowDown"), "injected")
        if env.get("HTTP_X_AMZ_TARGET") not in PUBLIC:
            try:
                verify(env, body)
            except Deny as e:
                return out(*e.args)
        return s.app(env, start)


def setup():
    iam = iam_backends[ACC]["aws"]
    allow = lambda acts, res: json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": acts, "Resource": res}]})
    iam.create_user("us-east-1", "admin")
    k = iam.create_access_key("admin")
    iam.put_user_policy("admin", "all", allow(["*"], "*"))
    pool = json.loads(ci.cognitoidentity_backends[ACC][REGION].create_identity_pool("libra", True, {}, "login.libra", [], [], [], {}))
    trust = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Principal": {"Federated": "cognito-identity.amazonaws.com"}, "Action": "sts:AssumeRoleWithWebIdentity"}
            ],
        }
    )
    role = iam.create_role("LibraUnauth", trust, "/", None, "", {}, 3600)
    ROLE["arn"] = role.arn
    iam.put_role_policy(
        "LibraUnauth",
        "up",
        allow(
            [
                "s3:PutObject",
                "s3:GetObject",
                "s3:ListBucket",
                "s3:CreateMultipartUpload",
                "dynamodb:PutItem",
                "dynamodb:UpdateItem",
                "dynamodb:GetItem",
                "dynamodb:BatchWriteItem",
            ],
            "*",
        ),
    )
    st.INITIAL_NO_AUTH_ACTION_COUNT = 0
    print(
        json.dumps(
            {
                "port": port,
                "admin_key": k.access_key_id,
                "admin_secret": k.secret_access_key,
                "pool": pool["IdentityPoolId"],
                "role": role.arn,
            }
        ),
        flush=True,
    )


from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

if __name__ == "__main__":
    setup()
    run_simple("127.0.0.1", port, App(DomainDispatcherApplication(create_backend_app)), threaded=True)
