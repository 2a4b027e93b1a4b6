/**
 * The limits of providers that processes share (call-limits.ts), as a migration: who waits and who has a slot, what began within the last
 * minute, and pauses. What a function does is done under the provider's lock, in one round trip.
 *
 * Unlogged: after a crash of the server all sessions are gone, and with them whoever had a slot. Nothing waits for a disk.
 */
export const SLOTS = `
-- In the order of asking. owner: the key of a session lock; whoever finds it free takes the owner's slots away. given: when, in
-- milliseconds; null while it waits. The limits are those of whoever asks.
CREATE UNLOGGED TABLE thinkon.slots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider text NOT NULL, owner bigint NOT NULL, ticket bigint NOT NULL, tokens bigint NOT NULL,
  max_concurrent integer, requests_per_minute integer, tokens_per_minute bigint,
  given bigint,
  UNIQUE (owner, ticket)
);
CREATE INDEX slots_by_provider ON thinkon.slots (provider, id);

CREATE UNLOGGED TABLE thinkon.sessions (key bigint PRIMARY KEY, beat timestamptz NOT NULL DEFAULT now());

-- What began, by sixtieths of a minute.
CREATE UNLOGGED TABLE thinkon.minutes (
  provider text NOT NULL, tick bigint NOT NULL, requests integer NOT NULL, tokens bigint NOT NULL,
  PRIMARY KEY (provider, tick)
);

CREATE UNLOGGED TABLE thinkon.pauses (provider text PRIMARY KEY, until bigint NOT NULL);

CREATE FUNCTION thinkon.lock_slots(of_provider text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('slots of ' || of_provider, 0))
$$;

CREATE FUNCTION thinkon.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- How long until this one may begin, if a slot is free.
CREATE FUNCTION thinkon.slot_wait(of_slot thinkon.slots, now_ms bigint, tick_ms integer) RETURNS bigint
LANGUAGE sql VOLATILE AS $$
  SELECT greatest(0,
    (SELECT until - now_ms FROM thinkon.pauses WHERE provider = of_slot.provider),
    -- The newest tick that has to leave the minute before there is room.
    (SELECT (max(tick) + 61) * tick_ms - now_ms
     FROM (SELECT tick,
             sum(requests) OVER newer AS requests,
             sum(tokens) OVER newer AS tokens
           FROM thinkon.minutes
           WHERE provider = of_slot.provider AND tick > now_ms / tick_ms - 61
           WINDOW newer AS (ORDER BY tick DESC)) AS since
     WHERE requests >= of_slot.requests_per_minute
       OR tokens > of_slot.tokens_per_minute - least(of_slot.tokens, of_slot.tokens_per_minute)))
$$;

-- Gives what is free to those who wait, in turn. Tells the first of those who still wait how long it will be; null: until another
-- call has ended. 'look': takes away the slots of those who are gone, or hang.
CREATE FUNCTION thinkon.give_slots(
  of_provider text, me bigint, minute_ms integer, look boolean, OUT wait_ms bigint, OUT is_first boolean
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  next thinkon.slots;
  taken bigint;
  tick_ms integer := minute_ms / 60;
  now_ms bigint := thinkon.now_ms();
  has_given boolean := false;
BEGIN
  IF look THEN
    DELETE FROM thinkon.slots WHERE provider = of_provider AND owner IN (
      SELECT owner FROM (SELECT DISTINCT owner FROM thinkon.slots WHERE provider = of_provider AND owner <> me) AS others
      WHERE pg_try_advisory_xact_lock_shared(owner)
        OR NOT EXISTS (SELECT FROM thinkon.sessions WHERE key = owner AND beat > now() - interval '15 s'));
    DELETE FROM thinkon.sessions WHERE beat < now() - interval '1 day';
    DELETE FROM thinkon.minutes WHERE provider = of_provider AND tick <= now_ms / tick_ms - 61;
  END IF;
  LOOP
    SELECT * INTO next FROM thinkon.slots WHERE provider = of_provider AND given IS NULL ORDER BY id LIMIT 1;
    wait_ms := NULL;
    EXIT WHEN NOT FOUND;
    is_first := next.owner = me;
    SELECT count(*) INTO taken FROM thinkon.slots WHERE provider = of_provider AND given IS NOT NULL;
    EXIT WHEN taken >= next.max_concurrent;
    wait_ms := thinkon.slot_wait(next, now_ms, tick_ms);
    EXIT WHEN wait_ms > 0;
    UPDATE thinkon.slots SET given = now_ms WHERE id = next.id;
    INSERT INTO thinkon.minutes VALUES (of_provider, now_ms / tick_ms, 1, next.tokens)
      ON CONFLICT (provider, tick) DO UPDATE
      SET requests = minutes.requests + 1, tokens = minutes.tokens + excluded.tokens;
    has_given := true;
    IF next.owner <> me THEN
      PERFORM pg_notify('thinkon_' || next.owner, json_build_object('ticket', next.ticket)::text);
    END IF;
  END LOOP;
  -- Whoever is first now, and waits for a time, has to look when it comes.
  IF has_given AND wait_ms > 0 AND NOT is_first THEN
    PERFORM pg_notify('thinkon_' || next.owner, json_build_object('provider', of_provider)::text);
  END IF;
END $$;

-- The same ticket may be asked for again, when nobody knows whether it was.
CREATE FUNCTION thinkon.ask_slot(
  of_provider text, me bigint, with_ticket bigint, with_tokens bigint, max_concurrent integer,
  requests_per_minute integer, tokens_per_minute bigint, minute_ms integer,
  OUT is_given boolean, OUT wait_ms bigint, OUT is_first boolean
) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM thinkon.lock_slots(of_provider);
  INSERT INTO thinkon.slots
    (provider, owner, ticket, tokens, max_concurrent, requests_per_minute, tokens_per_minute)
  VALUES (of_provider, me, with_ticket, with_tokens, $5, $6, $7)
  ON CONFLICT DO NOTHING;
  SELECT g.wait_ms, g.is_first INTO wait_ms, is_first FROM thinkon.give_slots(of_provider, me, minute_ms, false) AS g;
  SELECT given IS NOT NULL INTO is_given FROM thinkon.slots WHERE owner = me AND ticket = with_ticket;
END $$;

-- Gives a slot back, or leaves the queue. taken: the tokens, where they are known.
CREATE FUNCTION thinkon.end_slot(of_provider text, me bigint, with_ticket bigint, taken bigint, minute_ms integer)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  ended thinkon.slots;
BEGIN
  PERFORM thinkon.lock_slots(of_provider);
  DELETE FROM thinkon.slots WHERE owner = me AND ticket = with_ticket RETURNING * INTO ended;
  UPDATE thinkon.minutes SET tokens = tokens + taken - ended.tokens
    WHERE provider = of_provider AND tick = ended.given / (minute_ms / 60) AND taken IS NOT NULL;
  PERFORM thinkon.give_slots(of_provider, me, minute_ms, false);
END $$;

CREATE FUNCTION thinkon.look_slots(
  of_provider text, me bigint, minute_ms integer, OUT wait_ms bigint, OUT is_first boolean
) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM thinkon.lock_slots(of_provider);
  SELECT g.wait_ms, g.is_first INTO wait_ms, is_first FROM thinkon.give_slots(of_provider, me, minute_ms, true) AS g;
END $$;
`
