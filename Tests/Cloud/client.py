"""boto3, AWS's own client: the other side of every test."""
import boto3
from botocore.config import Config

ODD_KEYS = ["sp ace.csv", "plus+sign.csv", "uni/日本語-é.csv", "tilde~.csv", "paren(1)'!*.csv", "a&b=c?d#e.csv", "pct%41.csv",
            "colon:semi;comma,.csv", "at@dollar$.csv", "user_20260101000000_data.csv"]


def connect(service, endpoint, key, secret):
    return boto3.client(service, endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret, region_name="us-east-1",
                        config=Config(s3={"addressing_style": "path"}, signature_version=None, retries={"max_attempts": 2}))
