// `plugin dev --url`: runs good versions in a remote service. A heartbeat keeps the version registered; without it the
// service restores the previous version.
import { setTimeout as sleep } from 'node:timers/promises'
import { defined } from '@playhead/sdk/host'
import { isApiError, type Answer } from '@playhead/sdk/client'
import type { Arguments, Cli } from '../command.ts'
import { connect, explainApiError } from '../remote/connect.ts'
import type { DevService } from './dev-contract.ts'
import type { PluginFolder } from './folder.ts'
import { packFolder } from './pack.ts'

const DEFAULT_LEASE_S = 60
/** Heartbeats per lease. */
const TIMES = 4
const SEND_LIMIT_MS = 120_000
const END_LIMIT_S = 20
const UNKNOWN = 'plugin_development_unknown'
const SEND = 'POST /api/plugin-development'
type Sent = Answer<typeof SEND>

export async function openRemote(cli: Cli, { manifest: { id } }: PluginFolder, given: Arguments): Promise<DevService> {
  const client = await connect(cli, given)
  const { replace = false, yes = false, lease } = given.options
  const leaseS = typeof lease === 'string' ? Number(lease) : DEFAULT_LEASE_S
  const keepMs = (leaseS * 1_000) / TIMES
  // Report a wrong address or token before any check runs.
  await client.call('GET /api/plugin-development')
  const closing = new AbortController()
  const ended = Promise.withResolvers<string>()
  /** The last good version. */
  let wanted: Version | null = null
  /** Whether the service has the version; `maybe`: the response was lost. */
  let there: 'no' | 'maybe' | 'yes' = 'no'
  let isLost = false
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }

  const send = ({ tarball, accept }: Version, signal: AbortSignal): Promise<Sent> => {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(tarball)]), 'plugin.tgz')
    const query = { replace: replace === true, lease_s: leaseS, ...defined({ accept: accept ?? undefined }) }
    return client.call(SEND, { query, body: body as never, signal: within(SEND_LIMIT_MS, signal) })
  }

  async function reviewed(version: Version, signal: AbortSignal): Promise<Sent> {
    const sent = await send(version, signal)
    if (sent.state !== 'review') return sent
    cli.print(`      ${id} ${sent.version} asks the service for this:`)
    for (const line of sent.new_asks) cli.print(`        ${line}`)
    const answer = yes === true ? 'y' : await cli.ask?.('      Accept it? [y/N] ', signal)
    if (answer === undefined) throw new Error('it waits for a review: start this at a terminal, or with --yes.')
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error('it was not accepted.')
    version.accept = sent.sha512
    return send(version, signal)
  }

  /** Returns a message about the result. A version that is refused or fails leaves the previous one in place. */
  async function deliver(version: Version, signal: AbortSignal): Promise<string> {
    const before = { wanted, there }
    wanted = version
    there = 'maybe'
    try {
      const sent = await reviewed(version, signal)
      if (sent.state === 'failed') throw new Error(messageOf(sent))
      there = 'yes'
      for (const other of sent.switched_off) cli.print(`      ${other} is off until this ends.`)
      return sent.state === 'live'
        ? `${sent.version}, load ${sent.plugin?.generation ?? 1}`
        : `${sent.version} is registered and waits: ${messageOf(sent)}`
    } catch (error) {
      if (!isLostAnswer(error)) ({ wanted, there } = before)
      throw error
    }
  }

  async function publish(plugin: PluginFolder, signal: AbortSignal): Promise<string> {
    const version = { tarball: await packFolder(plugin), accept: null }
    // A file was saved meanwhile: the package may be incomplete, or differ from the checked sources.
    signal.throwIfAborted()
    try {
      return await inTurn(() => deliver(version, signal))
    } catch (error) {
      const later = isLostAnswer(error) ? '\nIt is sent again when the service answers.' : ''
      throw new Error(`${explained(error)}${later}`, { cause: error })
    }
  }

  async function keepOnce(): Promise<void> {
    if (wanted === null) return
    try {
      const signal = within(keepMs, closing.signal)
      await client.call('POST /api/plugin-development/{id}/keep', { params: { id }, signal })
    } catch (error) {
      if (!isApiError(error, UNKNOWN)) throw error
      // The service restarted, the lease expired, or the version never arrived.
      there = 'no'
    }
    if (there !== 'yes')
      cli.print(`      Your last good version was sent again: ${await deliver(wanted, closing.signal)}`)
    if (isLost) cli.print('      The service answers again.')
    isLost = false
  }

  function failed(error: unknown): void {
    const text = explained(error)
    if (isRefused(error)) return
    if (!isLostAnswer(error)) {
      wanted = null
      there = 'no'
      return cli.print(`      ${text} The next good save is sent.`)
    }
    if (!isLost)
      cli.print(`      ${text} Without you it puts back what was there before, after ${leaseS} s; this is tried again.`)
    isLost = true
  }

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(keepMs, undefined, { signal: closing.signal }).catch(() => {})
      await inTurn(keepOnce).catch((error) => closing.signal.aborted || failed(error))
    }
  }
  const keeping = keep()

  /** Explains an error to the author; a refused token ends `plugin dev`. */
  function explained(error: unknown): string {
    if (isRefused(error)) {
      const text = `the service refuses the token (${error.message.replace(/\.$/, '')}).`
      ended.resolve(text)
      return text
    }
    if (!isApiError(error) && isLostAnswer(error)) return 'the service does not answer.'
    return explainApiError(error) ?? (error as Error).message
  }

  return {
    opened: `Good versions of ${id} are live at ${given.options['url'] ?? cli.variables['PLAYHEAD_URL']} until this ends. Ctrl-C ends it.`,
    ended: ended.promise,
    publish,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await keeping
      if (there === 'no') return
      try {
        const signal = AbortSignal.timeout(Math.min(END_LIMIT_S, leaseS) * 1_000)
        await client.call('DELETE /api/plugin-development/{id}', { params: { id }, signal })
        cli.print(`What was there before ${id} is back.`)
      } catch (error) {
        if (isApiError(error, UNKNOWN)) return
        cli.print(
          `The service could not be told (${explained(error).replace(/\.$/, '')}): it puts back what was there before within ${leaseS} s.`,
        )
      }
    },
  }
}

interface Version {
  readonly tarball: Buffer
  /** The checksum of an accepted review. */
  accept: string | null
}

const within = (limitMs: number, signal: AbortSignal) => AbortSignal.any([AbortSignal.timeout(limitMs), signal])

function isRefused(error: unknown): error is Error {
  return isApiError(error, 401) || isApiError(error, 403)
}

/** The request may have arrived. A TypeError means that the response broke off. */
function isLostAnswer(error: unknown): boolean {
  if (isApiError(error)) return error.status === 0 || error.status === 429 || error.status >= 500
  return error instanceof DOMException || error instanceof TypeError
}

function messageOf({ error }: Sent): string {
  if (error === null) return ''
  return `${error.file === null ? '' : `${error.file}:${error.line ?? 1}: `}${error.message}`
}
