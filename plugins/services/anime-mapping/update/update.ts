// Updates the data sets and the index. New files have new names, and the state names the valid ones, so that an interruption at
// any moment leaves either the old or the new version.
import { createHash, randomBytes } from 'node:crypto'
import {
  defined,
  isPlayheadError,
  type KeyValueStore,
  type Logger,
  PlayheadError,
  type PluginFiles,
} from '@playhead/sdk'
import { isInvalidData } from '../data/invalid.ts'
import type { Counts } from '../index-file/build.ts'
import { SCHEMA_VERSION } from '../index-file/schema.ts'
import type { Built, Slots } from '../index-file/slots.ts'
import type { Settings } from '../settings.ts'
import type { BuiltIndex, DataFile, Installed, State, StateStore } from '../state.ts'
import { type Downloads, invalid, type Stats } from './download.ts'

interface UpdateRequest {
  /** Default: the release in the settings. */
  readonly tag?: string
  readonly force?: boolean
}

interface UpdateResult {
  readonly updated: boolean
  readonly rebuilt?: boolean
  readonly download?: { readonly size: number }
  readonly rebuild?: Counts
}

export interface Updates {
  /**
   * Errors: `update_running` (409), `download_failed` (502), `download_timeout` (504), `dataset_invalid` (502). A failure is also
   * stored in the state.
   */
  update(request: UpdateRequest, signal: AbortSignal): Promise<UpdateResult>
  /** Rebuilds from stored files. Errors: `update_running`, `dataset_missing` (404), `dataset_invalid`. */
  rebuild(tag: string | undefined, signal: AbortSignal): Promise<Counts>
  isRunning(): boolean
}

interface UpdateOptions {
  readonly settings: () => Readonly<Settings>
  readonly state: StateStore
  readonly slots: Slots
  readonly downloads: Downloads
  readonly files: PluginFiles
  readonly store: KeyValueStore
  /** Identifies this run of the service and of the plugin. */
  readonly process: number
  readonly generation: number
  readonly now: () => number
  readonly log: Logger
  /** Called after results may have changed. */
  readonly onChange: (index: BuiltIndex) => void
}

/** A data set with less than this share of the previous edges counts as truncated. */
const LEAST_SHARE = 0.5
const RETRY_MS = 600_000
const LEASE_MS = 15 * 60_000
const LEASE = 'lease'
const OWN_FILES = /^(?:mappings|identities)-[0-9a-f]+\.(?:json|tsv)$/

export function isReady(index: BuiltIndex | null): index is BuiltIndex {
  return index !== null && index.schema === SCHEMA_VERSION
}

export function createUpdates(options: UpdateOptions): Updates {
  const { settings, state, slots, downloads, files, store, process, generation, now, log, onChange } = options
  let isRunning = false

  /** One update at a time, even while two versions of the plugin run. */
  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = () =>
      new PlayheadError('PLH_CONFLICT', 'The anime mapping is being updated. Try again in a moment.', {
        wire: 'update_running',
      })
    if (isRunning) throw running()
    isRunning = true
    try {
      const lease = await store.get<{ process: number; generation: number }>(LEASE)
      if (lease !== undefined && lease.process === process && lease.generation !== generation) throw running()
      await store.set(LEASE, { process, generation }, LEASE_MS)
      try {
        return await work()
      } finally {
        await store.delete(LEASE)
      }
    } finally {
      isRunning = false
    }
  }

  async function noteFailure(error: unknown): Promise<void> {
    const known = isPlayheadError(error) ? error : undefined
    if (known?.code === 'PLH_ABORTED' || (error as Error).name === 'AbortError') return
    const atMs = now()
    await state.change(() => ({
      failure: {
        code: known?.wire ?? 'internal',
        message: known?.message ?? 'An unexpected error; see the log.',
        atMs,
        retryAtMs: atMs + Math.max(RETRY_MS, known?.retryAfterMs ?? 0),
      },
    }))
    log.warn({ err: error }, 'the anime mapping was not updated')
  }

  async function update({ tag = settings().release_tag, force = false }: UpdateRequest, signal: AbortSignal) {
    const before = await state.read()
    const sameTag = before.installed?.tag === tag ? before.installed : null
    const isComplete = sameTag !== null && before.index !== null && (await hasFile(sameTag.mappings))
    const address = `${settings().mappings_url.replace(/\/+$/, '')}/${tag}`
    const stats = await downloads.stats(`${address}/stats.json`, isComplete && !force ? sameTag.statsEtag : '', signal)
    const checkedAtMs = now()
    const isSame = stats === null || stats.generatedOn === sameTag?.generatedOn
    if (isComplete && !force && isSame) {
      const next = await state.change(() => ({ checkedAtMs, failure: null }))
      if (isReady(next.index)) return { updated: false }
      return { updated: false, rebuilt: true, rebuild: await buildInstalled(sameTag, signal) }
    }
    await state.change(() => ({ checkedAtMs }))
    const installed = await download(address, { tag, stats: stats as Stats, sameTag: force ? null : sameTag }, signal)
    const { counts } = await install(installed.data, installed.identityError, signal, checkedAtMs)
    return { updated: true, download: { size: installed.size }, rebuild: counts }
  }

  async function download(
    address: string,
    { tag, stats, sameTag }: { readonly tag: string; readonly stats: Stats; readonly sameTag: Installed | null },
    signal: AbortSignal,
  ): Promise<{ readonly data: Installed; readonly identityError: string; readonly size: number }> {
    await removeOthers(await state.read())
    const name = randomBytes(8).toString('hex')
    const known = sameTag !== null && (await hasFile(sameTag.mappings)) ? sameTag.mappings : null
    const file = await downloads.file(
      `${address}/mappings.min.json`,
      `mappings-${name}.json`,
      known?.etag ?? '',
      signal,
    )
    const mappings = file ?? known
    if (mappings === null) throw invalid('The server says that a file did not change which is not there.')
    const { identities, identityError, size } = await downloadIdentities(`identities-${name}.tsv`, sameTag, signal)
    return {
      data: {
        tag,
        generatedOn: stats.generatedOn,
        stats: shortened(stats),
        statsEtag: stats.etag,
        mappings,
        identities,
      },
      identityError,
      size: (file?.size ?? 0) + size,
    }
  }

  /** The mapping works without the identity table, so the previous one is kept. */
  async function downloadIdentities(name: string, sameTag: Installed | null, signal: AbortSignal) {
    const before = (await state.read()).installed?.identities ?? null
    const known = before !== null && (await hasFile(before)) ? before : null
    try {
      const etag = sameTag === null ? '' : (known?.etag ?? '')
      const file = await downloads.file(settings().identities_url, name, etag, signal)
      return { identities: file ?? known, identityError: '', size: file?.size ?? 0 }
    } catch (error) {
      if (!isPlayheadError(error) || error.code === 'PLH_ABORTED') throw error
      log.warn({ err: error }, 'the identity table was not downloaded')
      return { identities: known, identityError: `${error.wire}: ${error.message}`, size: 0 }
    }
  }

  async function buildInstalled(installed: Installed, signal: AbortSignal): Promise<Counts> {
    const { identityError } = await state.read()
    return (await install(installed, installed.identities === null ? identityError : '', signal)).counts
  }

  /** Builds the index and activates it with its files. */
  async function install(
    data: Installed,
    downloadError: string,
    signal: AbortSignal,
    updatedAtMs?: number,
  ): Promise<Built> {
    const before = await state.read()
    const built = await build(before.index, data, signal)
    const identityError = downloadError || built.identityError
    const index: BuiltIndex = {
      slot: built.slot,
      build: built.build,
      schema: SCHEMA_VERSION,
      tag: data.tag,
      builtAtMs: now(),
      size: built.size,
      counts: built.counts,
    }
    try {
      const least = before.index?.tag === data.tag ? before.index.counts.edge_count * LEAST_SHARE : 1
      if (built.counts.edge_count < least) {
        throw invalid(
          `The mapping set has only ${built.counts.edge_count} edges, the one in use ${before.index?.counts.edge_count ?? 0}; it is not taken.`,
        )
      }
      signal.throwIfAborted()
      await state.change(() => ({
        installed: built.identityError === '' ? data : { ...data, identities: null },
        index,
        identityError,
        failure: null,
        ...defined({ updatedAtMs }),
      }))
    } catch (error) {
      await slots.release(built.slot)
      throw error
    }
    onChange(index)
    if (before.index !== null) await tidy(() => slots.release((before.index as BuiltIndex).slot))
    await tidy(async () => removeOthers(await state.read()))
    return built
  }

  async function build(inUse: BuiltIndex | null, { mappings, identities }: Installed, signal: AbortSignal) {
    try {
      return await slots.build(
        inUse?.slot ?? null,
        {
          mappings: () => verified(mappings),
          identities: identities === null || !(await hasFile(identities)) ? null : () => verified(identities),
        },
        signal,
      )
    } catch (error) {
      throw isInvalidData(error) ? invalid(`The mapping set cannot be used: ${error.message}`) : error
    }
  }

  async function* verified({ file, sha256 }: DataFile): AsyncIterable<Uint8Array> {
    const hash = createHash('sha256')
    for await (const chunk of (await files.readStream(file)) as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      yield chunk
    }
    if (hash.digest('hex') !== sha256) throw invalid('A file of the data sets was changed after it was downloaded.')
  }

  async function hasFile({ file, size }: DataFile): Promise<boolean> {
    return (await files.stat(file))?.size === size
  }

  /** Files of earlier data sets and of interrupted downloads. */
  async function removeOthers({ installed }: State): Promise<void> {
    const used = new Set([installed?.mappings.file, installed?.identities?.file])
    for (const { name } of await files.list()) if (OWN_FILES.test(name) && !used.has(name)) await files.remove(name)
  }

  /** The update succeeded even if leftovers remain; the next update removes them. */
  async function tidy(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      log.debug({ err: error }, 'leftovers of the anime mapping were not removed')
    }
  }

  async function noted<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      await noteFailure(error)
      throw error
    }
  }

  return {
    isRunning: () => isRunning,
    update: (request, signal) => alone(() => noted(() => update(request, signal))),
    rebuild: (tag, signal) =>
      alone(async () => {
        const { installed } = await state.read()
        if (
          installed === null ||
          (tag !== undefined && installed.tag !== tag) ||
          !(await hasFile(installed.mappings))
        ) {
          throw new PlayheadError(
            'PLH_NOT_FOUND',
            `The mapping set${tag === undefined ? '' : ` of release ${tag}`} is not there. Update first.`,
            { wire: 'dataset_missing' },
          )
        }
        return noted(() => buildInstalled(installed, signal))
      }),
  }
}

const MAX_STATS = 64 * 1024

function shortened({ text, value, generatedOn }: Stats): Installed['stats'] {
  return text.length <= MAX_STATS ? value : { meta: { generated_on: generatedOn } }
}
