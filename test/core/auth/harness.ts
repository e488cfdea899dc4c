// The real authentication on a temporary data directory: configuration file, database, gate, prelude, routes.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import type { Logger } from '@playhead/sdk'
import { createApiTokens } from '../../../core/auth/api-tokens.ts'
import { createAuth } from '../../../core/auth/account.ts'
import { checkAnswer } from '../../../core/testing/answers.ts'
import type { AuthEnvironment } from '../../../core/auth/client.ts'
import { createLoginLimiter } from '../../../core/auth/login-limiter.ts'
import { createPasswords, type Passwords } from '../../../core/auth/password.ts'
import { authRoutes } from '../../../core/auth/routes.ts'
import { tokenRoutes } from '../../../core/auth/token-routes.ts'
import { CORE_MIGRATIONS } from '../../../core/core-tables.ts'
import { createSessions } from '../../../core/auth/sessions.ts'
import { createConfigService } from '../../../core/config/service.ts'
import type { RouteAccess } from '../../../core/http/access/access.ts'
import { createGate } from '../../../core/http/access/gate.ts'
import { prelude } from '../../../core/http/prelude.ts'
import { createSecurityHeaders } from '../../../core/http/security-headers.ts'
import { createCompilers } from '../../../core/http/validation.ts'
import { migrate } from '../../../core/storage/migrations.ts'
import { openDatabase } from '../../../core/storage/sqlite.ts'
import { openVault } from '../../../core/storage/vault.ts'

export const USERNAME = 'ada'
export const PASSWORD = 'correct horse battery'
export const START_MS = Date.UTC(2026, 0, 15, 12)

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Record<string, unknown>
  readonly text: string
  /** The new cookie as `cw_auth=…`, '' if it was deleted, undefined if the response sets none. */
  readonly cookie: string | undefined
}

export interface Call {
  readonly json?: unknown
  readonly cookie?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly from?: string
  readonly method?: InjectOptions['method']
}

export interface HarnessOptions {
  readonly environment?: Partial<AuthEnvironment>
  /** Additional routes, to test the gate. */
  readonly routes?: (app: FastifyInstance) => void
  /** Wraps the real hashing, to act while a password is being checked. */
  readonly passwords?: (real: Passwords) => Passwords
  readonly operations?: () => Promise<readonly { kind: string; id: string; label: string }[]>
}

export type Harness = Awaited<ReturnType<typeof createHarness>>

/** A temporary directory, removed after everything registered later is closed. */
export function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'playhead-test-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  return directory
}

/** A started service that stops with the test. */
export async function openHarness(
  t: Test,
  options: HarnessOptions & { readonly directory?: string } = {},
): Promise<Harness> {
  const harness = await createHarness(options.directory ?? temporaryDirectory(t), options)
  t.teardown(() => harness.close())
  await harness.auth.start()
  return harness
}

/** For tests that restart the service; the caller closes what this opens. */
export async function createHarness(directory: string, options: HarnessOptions = {}) {
  const clock = { nowMs: START_MS, now: () => clock.nowMs, advance: (ms: number) => void (clock.nowMs += ms) }
  const lines: { level: string; text: string; fields: object }[] = []
  const log = recordingLog(lines)
  const events: { name: string; data: Readonly<Record<string, unknown>> }[] = []
  const announced: string[] = []
  const restarts: string[] = []

  const vault = openVault({ keyFile: join(directory, 'secret.key') })
  const config = await createConfigService({
    file: join(directory, 'config.json'),
    vault,
    version: '1.0.0',
    log,
    clock,
  })
  const database = await openDatabase(join(directory, 'database.sqlite'), { log })
  await migrate(database.db, 'core', CORE_MIGRATIONS)
  const sessions = await createSessions({ db: database.db, clock, config, log })
  const tokens = await createApiTokens({ db: database.db, clock, log })
  const auth = createAuth({
    tokens,
    tokenLimiter: createLoginLimiter({ clock }),
    config,
    sessions,
    limiter: createLoginLimiter({ clock }),
    passwords: options.passwords?.(CHEAP_PASSWORDS) ?? CHEAP_PASSWORDS,
    clock,
    log,
    events: { emit: (name, data) => void events.push({ name, data }) },
    announce: (text) => void announced.push(text),
    environment: { setupToken: null, authReset: null, allowNoAuth: false, loopbackOnly: true, ...options.environment },
  })

  const app = fastify({ exposeHeadRoutes: false })
  await app.register(prelude, {
    gate: createGate({ auth, config, log }),
    compilers: createCompilers(),
    log,
    redact: (text: string) => text,
    headersFor: createSecurityHeaders({ config, selfSigned: () => true }),
    onAnswer: checkAnswer,
  })
  await app.register(
    authRoutes({
      auth,
      sessions,
      clock,
      sendLoginPage: async (reply, fill) =>
        reply.type('text/html; charset=utf-8').send(fill('<main data-next="/"></main>')),
      runningOperations: options.operations ?? (async () => []),
      restart: (reason) => void restarts.push(reason),
    }),
  )
  await app.register(tokenRoutes({ auth, tokens, clock, others: async () => [], rotate: async () => undefined }))
  for (const [url, access] of Object.entries(ROUTES)) {
    app.all(url, { config: { access } }, (request) => ({ ok: true, caller: request.caller }))
  }
  options.routes?.(app)
  await app.ready()

  async function call(url: string, { json, cookie, headers, from = '127.0.0.1', method }: Call = {}): Promise<Answer> {
    const answer = await app.inject({
      url,
      method: method ?? (json === undefined ? 'GET' : 'POST'),
      remoteAddress: from,
      headers: { host: 'localhost:8787', ...(cookie === undefined ? {} : { cookie }), ...headers },
      ...(json === undefined ? {} : { payload: json as object }),
    })
    const type = String(answer.headers['content-type'] ?? '')
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: type.includes('json') ? answer.json() : {},
      cookie: cookieOf(answer.headers['set-cookie']),
    }
  }

  return {
    directory,
    clock,
    lines,
    events,
    announced,
    restarts,
    config,
    database,
    sessions,
    tokens,
    auth,
    app,
    call,

    /** Creates the account and returns its first session's cookie. */
    async setUp(): Promise<string> {
      const answer = await call('/api/app-auth/credentials', {
        json: { enabled: true, username: USERNAME, password: PASSWORD },
      })
      if (answer.status !== 200 || answer.cookie === undefined) throw new Error(`setup failed: ${answer.text}`)
      return answer.cookie
    },

    login: (input: object = {}, options: Call = {}) =>
      call('/api/app-auth/login', { json: { username: USERNAME, password: PASSWORD, ...input }, ...options }),

    async close(): Promise<void> {
      await app.close()
      await sessions.close()
      await tokens.close()
      await config.close()
      await database.close()
    },
  }
}

// The cheapest hash: these tests do not depend on its cost.
const CHEAP_PASSWORDS = createPasswords({ memoryKib: 8, passes: 1, parallelism: 1 })

/** One route of each kind of access. */
export const ROUTES: Readonly<Record<string, RouteAccess>> = {
  '/api/protected': { auth: 'S' },
  '/api/early': { auth: 'S', duringSetup: true },
  '/api/setup': { auth: 'SS' },
  '/api/open': { auth: 'P' },
  '/api/effects': { auth: 'S', effects: true },
  '/api/always': { auth: 'P', always: true },
  '/webhook/test': { auth: 'W' },
  '/page': { auth: 'S' },
  '/scrape': { auth: 'T', accepts: async (token) => token === 'the-right-token' },
  '/scrape/closed': { auth: 'T' },
  '/api/run-something': { auth: 'S', scope: 'run' },
  '/api/secrets': { auth: 'S', scope: 'admin' },
  '/api/personal': { auth: 'S', scope: 'session' },
}

export function recordingLog(lines: { level: string; text: string; fields: object }[]): Logger {
  const write = (level: string) => (fields: object | string, text?: string) => {
    lines.push(typeof fields === 'string' ? { level, text: fields, fields: {} } : { level, text: text ?? '', fields })
  }
  const log: Logger = {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    channel: () => log,
  }
  return log
}

function cookieOf(header: string | string[] | number | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined) return undefined
  const pair = String(value).split(';')[0] as string
  return pair === 'cw_auth=' ? '' : pair
}
