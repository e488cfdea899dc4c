// Asks the address of the directory for its list and for archives. Only a changed list is sent again (ETag), and
// one that is refused leaves the known one in use.
import type { Readable } from 'node:stream'
import {
  type KeyValueStore,
  type Logger,
  type PluginDirectory,
  PlayheadError,
  isPlayheadError,
  type UpstreamAccount,
  type UpstreamFactory,
} from '@playhead/sdk'

export interface LookState {
  /** Epoch milliseconds of the last look; null before the first one. */
  readonly checkedAtMs: number | null
  /** Why it failed: a code and a sentence. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface CatalogueSource {
  /** Null: no address is set, and nothing is asked. */
  readonly host: string | null
  state(): Promise<LookState>
  /** `off`: no address is set. Failures are in `state()`. */
  look(): Promise<'off' | 'newer' | 'same' | 'failed'>
  /** An archive that lies beside the list. Throws PLH_CONFLICT (`archive_needed`) without an address. */
  archive(file: string, bytes: number): Promise<Uint8Array>
}

interface SourceOptions {
  readonly config: { readonly address: string }
  readonly store: KeyValueStore
  readonly upstream: UpstreamFactory
  readonly log: Logger
  readonly directory: Pick<PluginDirectory, 'catalogue' | 'offer'>
  readonly now?: () => number
}

interface Stored extends LookState {
  /** Where the state is from. */
  readonly address: string
  /** Of the last list that came, with the number that was the newest then. */
  readonly sent?: { readonly etag: string; readonly serial: number }
}

const STATE = 'look'
const CATALOGUE_BYTES = 1024 * 1024
const TIMEOUT_MS = 20_000
const ARCHIVE_MS = 120_000
const NEVER: LookState = { checkedAtMs: null, error: null }

export function createCatalogueSource(options: SourceOptions): CatalogueSource {
  const { config, store, upstream, log, directory, now = Date.now } = options
  const { address } = config
  const url = URL.parse(address)
  let account: UpstreamAccount | undefined
  const open = ({ origin }: URL) =>
    (account ??= upstream.account({ account: 'directory', baseUrl: origin, timeoutMs: TIMEOUT_MS, tries: 2 }))

  async function stored(): Promise<Stored | undefined> {
    const found = await store.get<Stored>(STATE)
    return found?.address === address ? found : undefined
  }

  async function serial(): Promise<number> {
    return (await directory.catalogue())?.catalogue.serial ?? 0
  }

  async function ask(at: URL): Promise<'newer' | 'same' | 'failed'> {
    const before = await stored()
    try {
      // A list that is no longer in use has to come again: its file was deleted, or a restore brought an older one.
      const isThere = before?.sent !== undefined && (await serial()) >= before.sent.serial
      const etag = isThere ? before.sent?.etag : undefined
      const answer = await open(at).request({
        path: at.pathname,
        query: Object.fromEntries(at.searchParams),
        headers: { accept: 'application/json', ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      })
      const isSame = etag !== undefined && answer.status === 304
      const bytes = await readUpTo(answer.stream(), CATALOGUE_BYTES)
      const isNewer = !isSame && (await directory.offer(bytes))
      const next = isSame ? etag : answer.headers['etag']
      await store.set(STATE, {
        ...{ address, checkedAtMs: now(), error: null },
        ...(next === undefined ? {} : { sent: { etag: next, serial: await serial() } }),
      } satisfies Stored)
      return isNewer ? 'newer' : 'same'
    } catch (error) {
      log.warn({ err: error }, 'the directory of plugins could not be read')
      const known = isPlayheadError(error)
      const shown = known ? { code: error.wire, message: error.message } : { code: 'failed', message: 'It failed.' }
      await store.set(STATE, { ...before, address, checkedAtMs: now(), error: shown } satisfies Stored)
      return 'failed'
    }
  }
  let running: ReturnType<typeof ask> | undefined

  return {
    host: url?.host ?? null,
    state: async () => (url === null ? NEVER : ((await stored()) ?? NEVER)),
    async look() {
      if (url === null) return 'off'
      running ??= ask(url).finally(() => void (running = undefined))
      return await running
    },
    async archive(file, bytes) {
      if (url === null)
        throw new PlayheadError(
          'PLH_CONFLICT',
          'This version does not ship with Playhead, and no address of the directory is set. Set one in the settings of the directory.',
          { wire: 'archive_needed' },
        )
      const at = new URL(file, url)
      const answer = await open(at).request({ path: at.pathname, timeoutMs: ARCHIVE_MS })
      return await readUpTo(answer.stream(), bytes)
    },
  }
}

/** Never more than promised: the rest is not read. */
async function readUpTo(stream: Readable, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > limit)
      throw new PlayheadError('PLH_UPSTREAM_INVALID', 'The directory sends more than it may.', {
        wire: 'catalogue_too_large',
      })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
