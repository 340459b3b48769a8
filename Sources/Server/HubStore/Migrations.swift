internal import HubDatabase

/// The tables, as they came to be.
enum Migrations {
    static let all = [
        Migration(1, first), Migration(2, crowd), Migration(3, federation, inFiles: numberedRollouts), Migration(4, keys),
        Migration(5, waiting), Migration(6, alerted), Migration(7, facts, inFiles: factsOfBefore), Migration(8, names),
    ]

    // Times are seconds since 1970. Tokens are SHA-256 of what their holders have.
    private static let first = """
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE devices (
            id TEXT PRIMARY KEY, org TEXT NOT NULL, identifier TEXT NOT NULL, info TEXT NOT NULL, registered REAL NOT NULL,
            updated REAL NOT NULL,
            revoked INTEGER NOT NULL DEFAULT 0, seen REAL, beat TEXT, model_version INTEGER, UNIQUE (org, identifier)
        );

        CREATE TABLE issued (
            hash BLOB PRIMARY KEY, kind TEXT NOT NULL, org TEXT NOT NULL, name TEXT NOT NULL, uses INTEGER NOT NULL,
            created REAL NOT NULL, expires REAL
        ) WITHOUT ROWID;
        CREATE TABLE bootstrapped (
            hash BLOB NOT NULL REFERENCES issued (hash) ON DELETE CASCADE, identifier TEXT NOT NULL, PRIMARY KEY (hash, identifier)
        ) WITHOUT ROWID;

        CREATE TABLE families (
            id INTEGER PRIMARY KEY, org TEXT NOT NULL, identifier TEXT NOT NULL, scopes TEXT NOT NULL, ttl INTEGER NOT NULL,
            confirmed INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX families_device ON families (org, identifier);
        CREATE TABLE tokens (
            hash BLOB PRIMARY KEY, family INTEGER NOT NULL REFERENCES families (id) ON DELETE CASCADE, generation INTEGER NOT NULL,
            refreshes INTEGER NOT NULL, expires REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX tokens_family ON tokens (family);
        CREATE INDEX tokens_expires ON tokens (expires);

        CREATE TABLE groups (
            id TEXT PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, created REAL NOT NULL,
            updated REAL NOT NULL, UNIQUE (org, name)
        ) WITHOUT ROWID;
        CREATE TABLE memberships (
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
            device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
            created REAL NOT NULL, PRIMARY KEY (group_id, device_id)
        ) WITHOUT ROWID;
        CREATE INDEX memberships_device ON memberships (device_id);

        CREATE TABLE models (
            id TEXT PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, created REAL NOT NULL, UNIQUE (org, name)
        ) WITHOUT ROWID;
        CREATE TABLE versions (
            model_id TEXT NOT NULL REFERENCES models (id) ON DELETE CASCADE, version INTEGER NOT NULL, checksum TEXT NOT NULL,
            size INTEGER NOT NULL,
            labels TEXT NOT NULL, expires INTEGER, description TEXT NOT NULL, created REAL NOT NULL, signature BLOB, bytes BLOB NOT NULL,
            PRIMARY KEY (model_id, version)
        );
        CREATE INDEX versions_checksum ON versions (checksum);

        CREATE TABLE rollouts (
            id INTEGER PRIMARY KEY, model_id TEXT NOT NULL, version INTEGER NOT NULL, group_id TEXT, percentage REAL NOT NULL,
            target REAL NOT NULL,
            increment REAL NOT NULL, success REAL NOT NULL, error REAL NOT NULL, minimum INTEGER NOT NULL, state TEXT NOT NULL,
            reason TEXT NOT NULL,
            created REAL NOT NULL, FOREIGN KEY (model_id, version) REFERENCES versions (model_id, version) ON DELETE CASCADE
        );
        CREATE INDEX rollouts_model ON rollouts (model_id);
        CREATE TABLE rollout_history (rollout INTEGER NOT NULL REFERENCES rollouts (id) ON DELETE CASCADE, at REAL NOT NULL,
            state TEXT NOT NULL, reason TEXT NOT NULL);
        CREATE INDEX rollout_history_rollout ON rollout_history (rollout);
        CREATE TABLE outcomes (
            model_id TEXT NOT NULL, version INTEGER NOT NULL, device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
            state TEXT NOT NULL,
            reason TEXT NOT NULL, updated REAL NOT NULL, PRIMARY KEY (model_id, version, device_id)
        ) WITHOUT ROWID;

        CREATE TABLE events (
            id INTEGER PRIMARY KEY, device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, at REAL NOT NULL,
            name TEXT NOT NULL, attributes TEXT NOT NULL
        );
        CREATE INDEX events_device ON events (device_id, at);
        CREATE TABLE batches (device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, batch TEXT NOT NULL,
            at REAL NOT NULL, PRIMARY KEY (device_id, batch)) WITHOUT ROWID;
        """

    // A board's key as PEM; NULL for a client that has none. A family knows the bootstrap token that it came of, and a name may be open for
    // another board.
    private static let keys = """
        ALTER TABLE devices ADD COLUMN key TEXT;
        ALTER TABLE devices ADD COLUMN reopened INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE families ADD COLUMN key TEXT;
        ALTER TABLE families ADD COLUMN issuer BLOB;
        ALTER TABLE issued ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at REAL NOT NULL, org TEXT NOT NULL, who TEXT NOT NULL, action TEXT NOT NULL, status INTEGER NOT NULL
        );
        """

    // Boards that a person has not approved yet, with the key that they have shown and the hash of their bootstrap token.
    private static let waiting = """
        CREATE TABLE waiting (
            id TEXT PRIMARY KEY, org TEXT NOT NULL, identifier TEXT NOT NULL, key TEXT, token BLOB NOT NULL, asked REAL NOT NULL,
            approved INTEGER NOT NULL DEFAULT 0, UNIQUE (org, identifier)
        ) WITHOUT ROWID;
        """

    // What somebody is to be told of a board, was told, and is no more; `mark` tells one fall or refusal from the next.
    private static let alerted = """
        CREATE TABLE alerted (
            device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, reason TEXT NOT NULL, mark TEXT NOT NULL,
            state TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (device_id, reason)
        ) WITHOUT ROWID;
        CREATE INDEX outcomes_device ON outcomes (device_id);
        """

    // A number is not used again. PostgreSQL's never are.
    private static let numberedRollouts = """
        CREATE TABLE numbered_rollouts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, model_id TEXT NOT NULL, version INTEGER NOT NULL, group_id TEXT,
            percentage REAL NOT NULL, target REAL NOT NULL,
            increment REAL NOT NULL, success REAL NOT NULL, error REAL NOT NULL, minimum INTEGER NOT NULL, state TEXT NOT NULL,
            reason TEXT NOT NULL,
            created REAL NOT NULL, FOREIGN KEY (model_id, version) REFERENCES versions (model_id, version) ON DELETE CASCADE
        );
        INSERT INTO numbered_rollouts SELECT * FROM rollouts;
        DROP TABLE rollouts;
        ALTER TABLE numbered_rollouts RENAME TO rollouts;
        CREATE INDEX rollouts_model ON rollouts (model_id);
        """

    private static let crowd = """
        CREATE TABLE accounts (uid TEXT PRIMARY KEY, org TEXT NOT NULL, email TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
            created REAL NOT NULL) WITHOUT ROWID;
        CREATE TABLE crowd (
            id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL, settings TEXT NOT NULL, state BLOB NOT NULL, test BLOB,
            started REAL NOT NULL
        );
        CREATE TABLE crowd_users (uid TEXT PRIMARY KEY, node BLOB, taken TEXT) WITHOUT ROWID;
        CREATE TABLE crowd_errors (iteration INTEGER PRIMARY KEY, taken INTEGER NOT NULL, error REAL NOT NULL, at REAL NOT NULL);
        """

    // What EdgeML's control plane has beside devices and roll-outs. IDs of what was deleted are in `used`, since boards and people
    // remember them.
    private static let federation = """
        CREATE TABLE used (kind TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
        ALTER TABLE issued ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
        ALTER TABLE models ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE versions ADD COLUMN name TEXT;
        ALTER TABLE versions ADD COLUMN status TEXT NOT NULL DEFAULT 'published';
        ALTER TABLE versions ADD COLUMN format TEXT NOT NULL DEFAULT 'safetensors';
        ALTER TABLE versions ADD COLUMN metrics TEXT NOT NULL DEFAULT '{}';
        CREATE UNIQUE INDEX versions_name ON versions (model_id, name);
        CREATE TABLE staged (
            id TEXT PRIMARY KEY, model_id TEXT NOT NULL REFERENCES models (id) ON DELETE CASCADE, created REAL NOT NULL, bytes BLOB
        ) WITHOUT ROWID;

        CREATE TABLE rounds (
            id TEXT PRIMARY KEY, model_id TEXT NOT NULL REFERENCES models (id) ON DELETE CASCADE, base INTEGER NOT NULL,
            state TEXT NOT NULL, settings TEXT NOT NULL, created REAL NOT NULL, ended REAL, result INTEGER
        ) WITHOUT ROWID;
        CREATE INDEX rounds_model ON rounds (model_id);
        CREATE TABLE updates (
            round TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
            device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, is_delta INTEGER NOT NULL, samples INTEGER NOT NULL,
            metrics TEXT NOT NULL, weights BLOB NOT NULL, at REAL NOT NULL, PRIMARY KEY (round, device_id)
        );
        CREATE TABLE personal (
            device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, weights BLOB NOT NULL, metrics TEXT NOT NULL,
            updates INTEGER NOT NULL, at REAL NOT NULL
        );
        CREATE TABLE federations (
            id TEXT PRIMARY KEY, org TEXT NOT NULL, name TEXT NOT NULL, created REAL NOT NULL, UNIQUE (org, name)
        ) WITHOUT ROWID;

        CREATE TABLE experiments (
            id TEXT PRIMARY KEY, model_id TEXT NOT NULL REFERENCES models (id) ON DELETE CASCADE, name TEXT NOT NULL,
            state TEXT NOT NULL, traffic REAL NOT NULL, settings TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX experiments_model ON experiments (model_id);
        CREATE TABLE variants (
            experiment TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE, place INTEGER NOT NULL, name TEXT NOT NULL,
            version INTEGER NOT NULL, allocation REAL NOT NULL, is_control INTEGER NOT NULL, PRIMARY KEY (experiment, place)
        ) WITHOUT ROWID;
        CREATE TABLE experiment_groups (
            experiment TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
            group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE, PRIMARY KEY (experiment, group_id)
        ) WITHOUT ROWID;
        CREATE TABLE measurements (
            id INTEGER PRIMARY KEY, experiment TEXT NOT NULL REFERENCES experiments (id) ON DELETE CASCADE,
            device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, name TEXT NOT NULL, value REAL NOT NULL, at REAL NOT NULL
        );
        CREATE INDEX measurements_experiment ON measurements (experiment, device_id);

        CREATE TABLE observed (
            device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, body TEXT NOT NULL, at REAL NOT NULL
        ) WITHOUT ROWID;
        """

    // What is looked for in heartbeats (``BeatFacts``).
    private static let facts = """
        ALTER TABLE devices ADD COLUMN activity TEXT;
        ALTER TABLE devices ADD COLUMN battery REAL;
        ALTER TABLE devices ADD COLUMN heat REAL;
        ALTER TABLE devices ADD COLUMN files REAL;
        ALTER TABLE devices ADD COLUMN fall_state TEXT;
        ALTER TABLE devices ADD COLUMN fall_time TEXT;
        ALTER TABLE devices ADD COLUMN fault TEXT;
        """

    // What boards are called, in a narrow table that no heartbeat changes: a million of them are searched in it. And what they told over
    // time, by hours since 1970.
    private static let names = """
        CREATE TABLE names (
            device_id TEXT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE, org TEXT NOT NULL, name TEXT,
            tags TEXT NOT NULL DEFAULT '', search TEXT NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO names (device_id, org, search) SELECT id, org, lower(identifier) FROM devices;
        CREATE INDEX names_search ON names (org, search, device_id);
        CREATE INDEX names_tags ON names (org, tags, search, device_id) WHERE tags <> '';
        CREATE TABLE history (
            device_id TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, hour INTEGER NOT NULL, battery REAL, heat REAL, rate REAL,
            PRIMARY KEY (device_id, hour)
        ) WITHOUT ROWID;
        """

    private static let factsOfBefore = """
        UPDATE devices SET
            activity = CASE json_type(beat, '$.metadata.activity') WHEN 'text' THEN json_extract(beat, '$.metadata.activity') END,
            battery = CASE WHEN json_type(beat, '$.metadata.battery_level') IN ('integer', 'real')
                THEN json_extract(beat, '$.metadata.battery_level') END,
            heat = CASE WHEN json_type(beat, '$.metadata.temperature_celsius') IN ('integer', 'real')
                THEN json_extract(beat, '$.metadata.temperature_celsius') END,
            files = CASE WHEN json_type(beat, '$.metadata.spool_files') IN ('integer', 'real')
                THEN json_extract(beat, '$.metadata.spool_files') END,
            fall_state = CASE json_type(beat, '$.metadata.fall') WHEN 'text' THEN json_extract(beat, '$.metadata.fall') END,
            fall_time = CASE json_type(beat, '$.metadata.fall_at') WHEN 'text' THEN json_extract(beat, '$.metadata.fall_at') END,
            fault = CASE json_type(beat, '$.last_error_code') WHEN 'text' THEN json_extract(beat, '$.last_error_code') END
        WHERE json_valid(beat);
        UPDATE alerted SET mark = trim(mark, '"') WHERE reason = 'fall';
        """
}
