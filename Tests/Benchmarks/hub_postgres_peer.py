"""The peer of the hubs' benchmark: the same heartbeat in FastAPI over PostgreSQL with asyncpg's pool."""
import contextlib
import hashlib
import json
import os
import time

import asyncpg
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel

pool = None


@contextlib.asynccontextmanager
async def connected(app):
    global pool
    pool = await asyncpg.create_pool(host=os.environ["PEER_HOST"], user="gaitway", database="hub", min_size=8, max_size=8)
    yield
    await pool.close()


app = FastAPI(lifespan=connected)


class Heartbeat(BaseModel):
    metadata: dict = {}
    active_model_version: str | None = None
    battery_level: int | None = None
    network_type: str | None = None


async def device(authorization: str = Header()) -> str:
    digest = hashlib.sha256(authorization.removeprefix("Bearer ").encode()).digest()
    name = await pool.fetchval("SELECT device FROM peer.tokens WHERE hash = $1 AND expires > $2", digest, time.time())
    if not name:
        raise HTTPException(401, "no such token")
    return name


@app.put("/api/v1/devices/{name}/heartbeat")
async def heartbeat(name: str, beat: Heartbeat, own: str = Depends(device)):
    if own != name:
        raise HTTPException(403, "another device's token")
    now = time.time()
    await pool.execute("UPDATE peer.devices SET seen = $1, beat = $2, model_version = $3 WHERE id = $4", now, json.dumps(beat.model_dump()), beat.active_model_version, name)
    return {"status": "ok", "device_id": name, "acknowledged": True, "server_time": now, "heartbeat_interval_seconds": 300}
