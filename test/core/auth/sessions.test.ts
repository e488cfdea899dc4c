// The session store: lifetime, limits, restarts, and consistency of the map in memory with the table.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { ConfigService } from '../../../core/config/contract.ts'
import { createSessions, sessionEndsAtMs, type NewSession } from '../../../core/auth/sessions.ts'
import type { Session } from '../../../core/auth/session-table.ts'
import { CORE_MIGRATIONS } from '../../../core/core-tables.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { recordingLog, START_MS, temporaryDirectory } from './harness.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const REQUEST: NewSession = {
  username: 'ada',
  credentialsId: 'c1',
  method: 'password',
  persistent: false,
  address: '192.0.2.1',
  userAgent: 'test',
}

t.test('a token is found until its session ends, and only the exact token', async (t) => {
  const { sessions } = await open(t)

  const { token, session } = await issue(sessions)

  t.equal(sessions.find(token), session)
  t.equal(sessions.find(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`), undefined)
  t.equal(sessions.find(''), undefined)
  await sessions.end(session.id)
  t.equal(sessions.find(token), undefined)
})

type Life = readonly [
  promise: string,
  persistent: boolean,
  days: number | string,
  steps: readonly number[],
  alive: boolean,
]

const LIFE: readonly Life[] = [
  ['a browser session lives for 24 hours without use', false, 30, [DAY_MS - 1], true],
  ['a browser session ends after 24 hours without use', false, 30, [DAY_MS], false],
  ['use keeps a browser session alive', false, 30, [20 * HOUR_MS, 20 * HOUR_MS, 20 * HOUR_MS], true],
  [
    'a browser session ends after 7 days however much it is used',
    false,
    30,
    Array.from({ length: 8 }, () => 21 * HOUR_MS),
    false,
  ],
  ['a remembered session lives its days without use', true, 30, [30 * DAY_MS - 1], true],
  ['a remembered session ends after its days however much it is used', true, 3, [DAY_MS, DAY_MS, DAY_MS], false],
  ['more days than a year count as a year', true, 4000, [365 * DAY_MS], false],
  ['a setting that is no number counts as 30 days', true, 'many', [30 * DAY_MS - 1], true],
]

for (const [promise, persistent, days, steps, alive] of LIFE) {
  t.test(promise, async (t) => {
    const { sessions, clock } = await open(t, { days })
    const { token } = await issue(sessions, { persistent })

    const found = steps.map((step) => {
      clock.nowMs += step
      return sessions.find(token) !== undefined
    })

    t.equal(found.at(-1), alive)
    t.ok(found.slice(0, -1).every(Boolean), 'it lived until then')
  })
}

t.test('the eleventh session of a user ends the oldest', async (t) => {
  const { sessions, clock } = await open(t)
  const tokens: string[] = []
  for (let i = 0; i < 11; i += 1) {
    tokens.push((await issue(sessions)).token)
    clock.nowMs += i < 5 ? 0 : 1
  }

  t.same(
    tokens.map((token) => sessions.find(token) !== undefined),
    [false, ...Array.from({ length: 10 }, () => true)],
  )
})

t.test('sessions survive a restart, with their last use', async (t) => {
  const first = await open(t)
  const { token, session } = await issue(first.sessions)
  first.clock.nowMs += 20 * HOUR_MS
  first.sessions.find(token)
  await first.sessions.close()

  const second = await open(t, { directory: first.directory, nowMs: first.clock.nowMs + 20 * HOUR_MS })

  t.equal(second.sessions.find(token)?.id, session.id)
})

t.test('the time of last use is stored from time to time, not at each request', async (t) => {
  const { sessions, clock, rows } = await open(t)
  const { token } = await issue(sessions)
  const stored = async () => ((await rows())[0]?.last_seen_at_ms ?? 0) - START_MS

  clock.nowMs += 4 * MINUTE_MS
  sessions.find(token)
  await sessions.prune()
  t.equal(await stored(), 0)

  clock.nowMs += MINUTE_MS
  sessions.find(token)
  clock.nowMs += MINUTE_MS
  sessions.find(token)
  await sessions.prune()
  t.equal(await stored(), 5 * MINUTE_MS)

  await sessions.close()
  t.equal(await stored(), 6 * MINUTE_MS)
})

t.test('neither a token nor data to compute it from is stored', async (t) => {
  const { sessions, rows } = await open(t)

  const { token, session } = await issue(sessions)

  t.notMatch(JSON.stringify(await rows()), token)
  t.match((await rows())[0]?.token_hash, /^[0-9a-f]{64}$/)
  t.notMatch(JSON.stringify(session), (await rows())[0]?.token_hash ?? '', 'handlers do not even see the hash')
})

t.test("listeners get the reason of each session's end", async (t) => {
  const { sessions, clock } = await open(t)
  const told: string[] = []
  const name = (session: Session) => session.userAgent
  sessions.onStarted((session) => told.push(`${name(session)} started`))
  const release = sessions.onEnded((session, reason) => told.push(`${name(session)} ${reason}`))

  const a = await issue(sessions, { userAgent: 'a' })
  await issue(sessions, { userAgent: 'b', replaces: a.session.id })
  const c = await issue(sessions, { userAgent: 'c' })
  await sessions.endOthers(c.session.id)
  clock.nowMs += DAY_MS
  await sessions.prune()
  release()
  await issue(sessions, { userAgent: 'd' })
  await sessions.endAll()

  t.same(told, ['a started', 'a replaced', 'b started', 'c started', 'b logout', 'c expired', 'd started'])
})

t.test('a listener that throws neither stops the change nor the other listeners', async (t) => {
  const { sessions, lines } = await open(t)
  let told = 0
  sessions.onEnded(() => {
    throw new Error('broken')
  })
  sessions.onEnded(() => void (told += 1))

  const { token, session } = await issue(sessions)
  await sessions.end(session.id)

  t.equal(sessions.find(token), undefined)
  t.equal(told, 1)
  t.match(lines, [{ level: 'error' }])
})

t.test('expired sessions are not listed and leave the table', async (t) => {
  const { sessions, clock, rows } = await open(t)
  await issue(sessions)
  clock.nowMs += DAY_MS

  t.same(sessions.list(), [])
  t.equal((await rows()).length, 1)
  await issue(sessions)
  t.equal((await rows()).length, 1)
})

t.test('a session that is cancelled while it waits is not issued', async (t) => {
  const { sessions, rows } = await open(t)
  let wanted = true

  const first = sessions.issue({ ...REQUEST, isStillValid: () => wanted })
  const second = sessions.issue({ ...REQUEST, isStillValid: () => wanted })
  await first
  wanted = false

  t.not(await first, undefined)
  t.equal(await second, undefined)
  t.equal((await rows()).length, 1)
})

t.test('when the database fails the memory stays unchanged too, and the caller gets an error', async (t) => {
  const { sessions, database } = await open(t)
  const { token, session } = await issue(sessions)
  await database.db.schema.alterTable('core__sessions').renameTo('core__elsewhere').execute()

  await t.rejects(sessions.issue(REQUEST))
  await t.rejects(sessions.end(session.id))
  t.equal(sessions.find(token)?.id, session.id)

  await database.db.schema.alterTable('core__elsewhere').renameTo('core__sessions').execute()
  await sessions.end(session.id)
  t.equal(sessions.find(token), undefined, 'the next change works again')
})

t.test('concurrent changes leave the map and the table with the same ten sessions', async (t) => {
  const { sessions, rows } = await open(t)

  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const issued = await issue(sessions)
      if (i % 3 === 0) await sessions.end(issued.session.id)
    }),
  )

  const ids = sessions
    .list()
    .map(({ id }) => id)
    .sort()
  t.ok(ids.length <= 10)
  t.same((await rows()).map(({ id }) => id).sort(), ids)
})

t.test('the end of a session in the response is the stored one', async (t) => {
  const { sessions, clock } = await open(t)
  const browser = await issue(sessions)
  const remembered = await issue(sessions, { persistent: true })

  t.equal(sessionEndsAtMs(browser.session), clock.nowMs + DAY_MS)
  t.equal(sessionEndsAtMs(remembered.session), clock.nowMs + 30 * DAY_MS)
})

async function open(
  t: Test,
  options: { readonly directory?: string; readonly nowMs?: number; readonly days?: unknown } = {},
) {
  const directory = options.directory ?? temporaryDirectory(t)
  const clock = { nowMs: options.nowMs ?? START_MS, now: () => clock.nowMs }
  const lines: { level: string; text: string; fields: object }[] = []
  const log = recordingLog(lines)
  const database = await openDatabase(join(directory, 'database.sqlite'), { log })
  await migrate(database.db, 'core', CORE_MIGRATIONS)
  const config = { at: () => options.days ?? 30 } satisfies Pick<ConfigService, 'at'>
  const sessions = await createSessions({ db: database.db, clock, config, log })
  t.teardown(async () => {
    await sessions.close()
    await database.close()
  })
  const rows = (): Promise<{ id: string; token_hash: string; last_seen_at_ms: number }[]> =>
    database.db.selectFrom('core__sessions').selectAll().execute() as never
  return { directory, clock, lines, database, sessions, rows }
}

async function issue(sessions: Awaited<ReturnType<typeof createSessions>>, change: Partial<NewSession> = {}) {
  const issued = await sessions.issue({ ...REQUEST, ...change })
  if (issued === undefined) throw new Error('no session was issued')
  return issued
}
