// Checks that every notifier must pass, with a server that answers well, badly, slowly and not at all.
import type { ServerResponse } from 'node:http'
import { isPlayheadError } from '../errors.ts'
import { type NotificationMessage, type Notifier, NOTIFIERS } from '../notifier/contract.ts'
import { isMasked, isSecretPath } from '../secrets.ts'
import type { FormatCheck } from './formats/exporter-checks.ts'
import type { TestHost } from './contract.ts'
import { startServer } from './server.ts'

export interface NotifierCheckOptions {
  /** Settings of a target at this server (`http://127.0.0.1:<port>`), with secrets of at least 8 characters. */
  readonly settings: (server: string) => Readonly<Record<string, unknown>>
  /** The body of a successful response. Default: `{}`. */
  readonly answer?: unknown
}

const HANG_MS = 300
const LATE_MS = 5_000
const TARGET = 'check-1'
const MESSAGE: NotificationMessage = {
  id: 'check',
  event: 'test',
  title: 'A <b>title</b> & "quotes"',
  text: 'Line one\nLine two: {{curly}} %s \u{1F600}',
  severity: 'error',
  atMs: 1_700_000_000_000,
}
const LONG: NotificationMessage = {
  ...MESSAGE,
  title: 'T'.repeat(200),
  text: 'word \u{1F600} '.repeat(1_000),
  url: 'https://playhead.example.org/runs',
}

/** @param host a test host with the notifier's plugin; notifiers without HTTP need tests of their own */
export async function checkNotifier(
  host: TestHost,
  { settings, answer = {} }: NotifierCheckOptions,
): Promise<readonly FormatCheck[]> {
  let reply: (
    response: ServerResponse,
  ) => {
    readonly status?: number
    readonly json?: unknown
    readonly headers?: Readonly<Record<string, string>>
  } | void = () => ({ json: answer })
  await using server = await startServer((_request, response) => reply(response))
  const token =
    host.ctx.manifest.provides?.find((one) => one.startsWith(NOTIFIERS.prefix)) ?? `${NOTIFIERS.prefix}missing`
  const notifier = host.capability<Notifier>(NOTIFIERS.of(token.slice(NOTIFIERS.prefix.length)))
  const description = await notifier.describe()
  const given = settings(server.url)
  const secrets = Object.entries(given).flatMap(([key, value]) =>
    typeof value === 'string' && value.length >= 8 && isSecret(description.settings, key) ? [value] : [],
  )
  const results: FormatCheck[] = []
  const seen: string[] = []

  async function check(id: string, title: string, run: () => Promise<void>): Promise<void> {
    try {
      await run()
      results.push({ id, title, ok: true })
    } catch (error) {
      results.push({ id, title, ok: false, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  const send = (message = MESSAGE, signal = AbortSignal.timeout(LATE_MS)) => notifier.send(TARGET, message, signal)
  async function failure(what: string, signal?: AbortSignal): Promise<unknown> {
    const error = await send(MESSAGE, signal).then(
      () => undefined,
      (reason: unknown) => reason ?? new Error('without a reason'),
    )
    if (error === undefined) throw new Error(`${what} was taken for success: the message would be lost.`)
    seen.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error))
    return error
  }

  await check('settings', 'a target is saved, and its secrets are shown as masks', async () => {
    await notifier.save({ id: TARGET, name: 'Checks', enabled: true, settings: given })
    const [target] = await notifier.targets()
    if (target?.id !== TARGET) throw new Error('The target that was saved is not listed.')
    const shown = JSON.stringify(await notifier.targets())
    if (secrets.some((secret) => shown.includes(secret))) throw new Error('A secret is listed.')
    if (secrets.length > 0 && !Object.values(target.settings).some(isMasked)) throw new Error('No secret is masked.')
  })
  await check('again', 'saving what was listed keeps the secrets', async () => {
    const [target] = await notifier.targets()
    if (target === undefined) throw new Error('There is no target.')
    await notifier.save(target)
  })
  await check('sends', 'a message is sent, once', async () => {
    const before = server.requests.length
    await send()
    const sent = server.requests.slice(before).map(({ method, path, body }) => `${method} ${path} ${body}`)
    if (sent.length === 0) throw new Error('Nothing was sent.')
    if (new Set(sent).size < sent.length) throw new Error('It was sent twice.')
  })
  await check('long', 'a long message is sent', () => send(LONG))
  for (const status of [400, 401, 403, 404, 500, 503])
    await check(`status-${status}`, `an answer with ${status} is a failure`, async () => {
      reply = () => ({ status, json: { error: secrets.join(' ') } })
      await failure(`The status ${status}`)
    })
  await check('rate', 'an answer with 429 is a failure that says when to try again', async () => {
    reply = () => ({ status: 429, headers: { 'retry-after': '7' }, json: {} })
    const error = await failure('The status 429')
    if (!isPlayheadError(error, 'PLH_RATE_LIMITED')) throw new Error('It is no PLH_RATE_LIMITED.')
    if (error.retryAfterMs === undefined) throw new Error('It lacks retryAfterMs.')
  })
  await host.reload()
  await check('hang', 'a server that hangs is left when the caller gives up', async () => {
    reply = () => undefined
    const startedAtMs = Date.now()
    await failure('A server that never answers', AbortSignal.timeout(HANG_MS))
    if (Date.now() - startedAtMs > LATE_MS) throw new Error('The signal was ignored.')
  })
  await check('secrets', 'no secret is in an error or in the log', async () => {
    const found = secrets.find((secret) => [...seen, JSON.stringify(host.logs)].some((text) => text.includes(secret)))
    if (found !== undefined) throw new Error('One is.')
  })
  await check('contained', 'nothing fails beside it', async () => {
    const [first] = host.failures
    if (first !== undefined) throw new Error(`${first.what}: ${String(first.error)}`)
  })
  return results
}

function isSecret(schema: Readonly<Record<string, unknown>>, key: string): boolean {
  const properties = schema['properties'] as Readonly<Record<string, { readonly secret?: boolean }>> | undefined
  return properties?.[key]?.secret === true || isSecretPath([key])
}
