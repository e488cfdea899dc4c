// Captures an account: each feature is read completely into a file, or no file is created.
import { defined, failureCode, type LiveEnd, type LiveScope, otherAccount, PlayheadError } from '@playhead/sdk'
import { accountHash, type Named, ofService } from '../account.ts'
import {
  type BundleChild,
  type CapturedFeature,
  type CaptureEntry,
  type CaptureFeature,
  type CaptureHeader,
  SCHEMA_VERSION,
  type Trigger,
} from '../contract.ts'
import { type EndFacts, encodeCapture, type RowPage } from '../file/write.ts'
import { cleanLabel, isoOf } from '../names.ts'
import type { Parts } from '../parts.ts'
import type { Job } from './jobs.ts'
import { readAgain } from './read-again.ts'

interface CaptureOrder {
  readonly named: Named
  /** `all`: a bundle of the features; one feature: a file. */
  readonly feature: CaptureFeature
  /** Set for files of a bundle. */
  readonly features: readonly CapturedFeature[]
  readonly label: string
  readonly trigger: Trigger
  readonly jobId?: string
}

export interface CaptureResult {
  readonly ok: boolean
  readonly partial?: boolean
  readonly entry: CaptureEntry
}

/** Throws if nothing could be captured. */
export async function capture(parts: Parts, order: CaptureOrder, job: Job): Promise<CaptureResult> {
  const atMs = parts.now()
  if (order.feature !== 'all') {
    job.update({ current_feature: order.feature, feature_index: 1 })
    return { ok: true, entry: await captureFeature(parts, order, { feature: order.feature, atMs }, job) }
  }
  return captureBundle(parts, order, atMs, job)
}

async function captureBundle(parts: Parts, order: CaptureOrder, atMs: number, job: Job): Promise<CaptureResult> {
  const { catalogue } = parts
  const header = headerOf(parts, order, 'all', atMs)
  const made: string[] = []
  const children: BundleChild[] = []
  const accounts = new Set<string | null>()
  let failure: unknown
  try {
    return await catalogue
      .write(header, atMs, async (bundlePath) => {
        for (const [index, feature] of order.features.entries()) {
          job.update({ current_feature: feature, feature_index: index + 1, feature_items: 0, total_items: null })
          try {
            const note = async (path: string) => {
              made.push(path)
              await job.note({ files: [...made, bundlePath] })
            }
            const entry = await captureFeature(parts, order, { feature, atMs, bundlePath, note }, job)
            children.push({ feature, path: entry.path, stats: entry.stats })
            accounts.add(entry.account)
          } catch (error) {
            if (job.signal.aborted) throw error
            failure ??= error
            children.push({ feature, error: failureCode(error) })
            parts.log.warn(
              { provider: order.named.provider, feature, error: failureCode(error) },
              'a feature could not be captured',
            )
          }
        }
        if (accounts.size > 1) throw otherAccount()
        const [account = null] = accounts
        const done = children.flatMap((child) => ('path' in child ? [child] : []))
        if (done.length === 0)
          throw failure ?? new PlayheadError('PLH_INVALID', 'There is nothing to capture.', { wire: 'no_features' })
        job.update({ stage: 'bundling', message: 'Writing the bundle' })
        const features = Object.fromEntries(done.map(({ feature, stats }) => [feature, stats.count]))
        const count = done.reduce((sum, { stats }) => sum + stats.count, 0)
        const facts = (): EndFacts => ({
          complete: done.length === children.length,
          ...defined({ account: account ?? undefined }),
          stats: { feature: 'all', count, features },
          children,
        })
        await parts.files.writeStream(
          bundlePath,
          encodeCapture({ ...header, kind: 'snapshot_bundle' }, none(), facts, () => {}),
        )
      })
      .then(async (entry) => {
        await job.note({ files: [] })
        const ok = children.every((child) => 'path' in child)
        return { ok, ...(ok ? {} : { partial: true }), entry }
      })
  } catch (error) {
    // Children without a bundle are an incomplete capture.
    const left = children.flatMap((child) => ('path' in child ? [child.path] : []))
    if (left.length > 0) await catalogue.remove(left)
    await job.note({ files: [] })
    throw error
  }
}

interface FeatureCapture {
  readonly feature: CapturedFeature
  readonly atMs: number
  readonly bundlePath?: string
  /** Called with the path before the file is created. */
  readonly note?: (path: string) => Promise<void>
}

async function captureFeature(
  parts: Parts,
  order: CaptureOrder,
  { feature, atMs, bundlePath, note }: FeatureCapture,
  job: Job,
): Promise<CaptureEntry> {
  const { catalogue, files } = parts
  const { provider, instance } = order.named
  const header = { ...headerOf(parts, order, feature, atMs), ...defined({ bundle_path: bundlePath }) }
  try {
    const entry = await readAgain(job.signal, () =>
      catalogue.write(header, atMs, async (path) => {
        await note?.(path)
        job.update({ stage: 'reading', message: `Reading ${feature}` })
        const read: { scope?: LiveScope; end?: LiveEnd } = {}
        const facts = (): EndFacts => {
          const { scope, end } = read
          // A stream without an end marker proves nothing.
          if (scope === undefined || end === undefined)
            throw new PlayheadError('PLH_UPSTREAM_INVALID', 'Not everything could be read.', {
              wire: 'read_incomplete',
            })
          job.update({ stage: 'writing', message: `Writing ${feature}` })
          return {
            complete: true,
            account: accountHash(provider, end.account),
            scope,
            expected_count: end.expected,
            known_count: end.known,
            doubt: end.doubt,
            unreadable: end.unreadable.filter(({ reason }) => reason !== 'title_only').length,
          }
        }
        await files.writeStream(
          path,
          counted(
            encodeCapture(header, pagesOf(parts, order.named, feature, read, job), facts, () => {}),
            job,
          ),
        )
      }),
    )
    job.update({ stage: 'feature_done', message: `${feature} captured`, feature_items: entry.count })
    parts.log.info(
      { provider, instance, feature, rows: entry.count, bytes: entry.size, trigger: order.trigger },
      'captured',
    )
    return entry
  } catch (error) {
    throw ofService(error)
  }
}

async function* pagesOf(
  { library }: Parts,
  { provider, instance }: Named,
  feature: CapturedFeature,
  read: { scope?: LiveScope; end?: LiveEnd },
  job: Job,
): AsyncGenerator<RowPage> {
  let done = 0
  for await (const part of await library.live({ provider, instance }, feature, job.signal)) {
    if (part.type === 'scope') read.scope = part.scope
    else if (part.type === 'end') read.end = part.end
    else {
      done += part.rows.length
      const total = part.total ?? null
      job.update({
        stage: 'reading',
        items_done: done,
        feature_items: done,
        total_items: total,
        share: total === null ? 0 : done / Math.max(1, total),
      })
      yield part
    }
  }
  job.update({ stage: 'normalizing', message: `Checking ${feature}` })
}

async function* counted(bytes: AsyncIterable<Uint8Array>, job: Job): AsyncGenerator<Uint8Array> {
  let written = 0
  for await (const chunk of bytes) {
    job.signal.throwIfAborted()
    written += chunk.length
    job.update({ bytes_written: written })
    yield chunk
  }
}

function headerOf(
  { version }: Parts,
  { named, label, trigger, jobId }: CaptureOrder,
  feature: CaptureFeature,
  atMs: number,
): CaptureHeader {
  return {
    kind: 'snapshot',
    schema_version: SCHEMA_VERSION,
    created_at: isoOf(atMs),
    provider: named.provider,
    instance: named.instance,
    feature,
    label: cleanLabel(label),
    trigger,
    ...defined({ job_id: jobId }),
    svc_version: version,
  }
}

async function* none(): AsyncGenerator<never> {}
