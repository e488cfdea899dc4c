// `plugin dev --url`: good versions live in a service that is running. It is told again and again that the author is there;
// without that, it puts back what was there before.
import { setTimeout as sleep } from 'node:timers/promises'
import { isApiError, type Answer } from '@playhead/sdk/client'
import type { Arguments, Cli } from '../command.ts'
import { connect, explainApiError } from '../remote/connect.ts'
import type { DevService } from './dev.ts'
import type { PluginFolder } from './folder.ts'
import { packFolder } from './pack.ts'

const DEFAULT_LEASE_S = 60
/** How often it is said within one lease. */
const TIMES = 4
const SEND_LIMIT_MS = 120_000
const SEND = 'POST /api/plugin-development'
type Sent = Answer<typeof SEND>

export async function openRemote(cli: Cli, { manifest: { id } }: PluginFolder, given: Arguments): Promise<DevService> {
  const client = await connect(cli, given)
  const { replace = false, yes = false, lease } = given.options
  const leaseS = typeof lease === 'string' ? Number(lease) : DEFAULT_LEASE_S
  // A wrong address or token is said before anything is checked.
  await client.call('GET /api/plugin-development')
  const closing = new AbortController()
  /** What is live there because of this author. */
  let live: { readonly tarball: Buffer; readonly sha512: string } | null = null
  let isLost = false

  const send = (tarball: Buffer, accept?: string): Promise<Sent> => {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(tarball)]), 'plugin.tgz')
    const query = { replace: replace === true, lease_s: leaseS, ...(accept === undefined ? {} : { accept }) }
    return client.call(SEND, { query, body: body as never, signal: AbortSignal.timeout(SEND_LIMIT_MS) })
  }

  async function publish(plugin: PluginFolder): Promise<string> {
    const tarball = await packFolder(plugin)
    let sent = await explained(send(tarball))
    if (sent.state === 'review') {
      cli.print(`      ${id} ${sent.version} asks the service for this:`)
      for (const line of sent.new_asks) cli.print(`        ${line}`)
      const answer = yes === true ? 'y' : await cli.ask?.('      Accept it? [y/N] ')
      if (answer === undefined) throw new Error('it waits for a review: start this at a terminal, or with --yes.')
      if (!/^y(es)?$/i.test(answer.trim())) throw new Error('it was not accepted.')
      sent = await explained(send(tarball, sent.sha512))
    }
    if (sent.state === 'failed') throw new Error(messageOf(sent))
    live = { tarball, sha512: sent.sha512 }
    for (const other of sent.switched_off) cli.print(`      ${other} is off until this ends.`)
    return sent.state === 'live'
      ? `${sent.version}, load ${sent.plugin?.generation ?? 1}`
      : `${sent.version} is registered and waits: ${messageOf(sent)}`
  }

  async function keepOnce(): Promise<void> {
    if (live === null) return
    const signal = AbortSignal.timeout((leaseS * 1_000) / TIMES)
    try {
      await client.call('POST /api/plugin-development/{id}/keep', { params: { id }, signal })
    } catch (error) {
      if (isApiError(error) && error.status === 404) {
        // The service was started again, or waited long enough.
        const sent = await send(live.tarball, live.sha512)
        cli.print(
          `      The service had put back what was there before. ${sent.ok ? 'Yours is live again.' : messageOf(sent)}`,
        )
      } else throw error
    }
    if (isLost) cli.print('      The service answers again.')
    isLost = false
  }

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep((leaseS * 1_000) / TIMES, undefined, { signal: closing.signal }).catch(() => {})
      if (closing.signal.aborted) return
      try {
        await keepOnce()
      } catch (error) {
        if (!isLost)
          cli.print(
            `      ${explainApiError(error) ?? (error as Error).message} Without you it puts back what was there before, after ${leaseS} s; this is tried again.`,
          )
        isLost = true
      }
    }
  }
  const keeping = keep()

  return {
    opened: `Good versions of ${id} are live at ${given.options['url'] ?? cli.variables['PLAYHEAD_URL']} until this ends. Ctrl-C ends it.`,
    ended: new Promise(() => {}),
    publish,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await keeping
      if (live === null) return
      try {
        await client.call('DELETE /api/plugin-development/{id}', {
          params: { id },
          signal: AbortSignal.timeout(SEND_LIMIT_MS),
        })
        cli.print(`What was there before ${id} is back.`)
      } catch (error) {
        if (isApiError(error) && error.status === 404) return
        cli.print(
          `The service could not be told (${(error as Error).message}): it puts back what was there before within ${leaseS} s.`,
        )
      }
    },
  }
}

function messageOf({ error }: Sent): string {
  if (error === null) return ''
  return `${error.file === null ? '' : `${error.file}:${error.line ?? 1}: `}${error.message}`
}

async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw new Error(explainApiError(error) ?? (error as Error).message, { cause: error })
  }
}
