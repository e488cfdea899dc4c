// The configuration: one document, one file, one writer.
//
// Changes wait in a queue. The writer takes all that wait, applies them one after the other to the latest document, and writes the file once;
// each caller learns of its change when it is on disk. What readers see is replaced as a whole after that, so nobody sees a change that
// a crash could undo. Edits by hand are noticed within seconds and before every write; one that cannot be read is left aside, never lost.
import { createHash } from 'node:crypto'
import type { TObject } from '@sinclair/typebox'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { systemClock, type Clock } from '../clock.ts'
import { VaultError, type Vault } from '../storage/vault.ts'
import { createConfigFile, type FileFacts } from './config-file.ts'
import type { ChangeOptions, ConfigChange, ConfigContribution, ConfigDocument, ConfigService } from './contract.ts'
import { changedPaths, copy, formatPath, freeze, valueAt, type Path } from './document.ts'
import { applyChange } from './draft.ts'
import { createSectionChecks } from './resolve-section.ts'
import { hasClearSecrets, openText, sealText, type OpenedText } from './sealed-text.ts'
import { AppAuthSection, CORE_CONTRIBUTION, NEVER_DEFAULTED } from './sections.ts'
import { ConfigUnavailableError, type UnavailableReason } from './unavailable.ts'
import { buildView, maskedDocument, secretValuesOf, type ConfigView, type ConfigWarning } from './view.ts'

const LOOK_EVERY_MS = 2_000
const MAX_WAITING = 10_000
const EDITED_BY_HAND = 'file'

export interface ConfigServiceOptions {
  readonly file: string
  /** Default: the file's name with `.last-good`. */
  readonly lastGoodFile?: string
  readonly vault: Vault
  /** Of the running service. */
  readonly version: string
  readonly log: Logger
  readonly clock?: Clock
  /** Told when the file turns out to be unreadable. */
  readonly onCorrupt?: (message: string) => void
  /** Told about each change that was saved. */
  readonly record?: (entry: ChangeRecord) => void
}

export interface ChangeRecord extends ConfigChange {
  readonly by: string
  readonly atMs: number
}

export interface ConfigStatus {
  readonly available: boolean
  readonly reason: UnavailableReason | null
  /** The file on disk cannot be read, and the service works with an earlier state. */
  readonly corrupt: boolean
  readonly restoredFromLastGood: boolean
  readonly warnings: readonly ConfigWarning[]
}

export interface RunningConfig extends ConfigService {
  status(): ConfigStatus
  /** Looks at the file now. */
  reload(): Promise<void>
  facts(): Promise<FileFacts>
  /** What describes the document now, the core's own sections included. */
  contributions(): readonly ConfigContribution[]
  /** Saves what waits, then refuses further changes. */
  close(): Promise<void>
}

interface Loaded extends OpenedText {
  readonly revision: string
  readonly view: ConfigView
}

interface Waiting {
  readonly by: string
  readonly mutate: (draft: ConfigDocument) => void
  readonly ifRevision: string | undefined
  readonly resolve: (change: ConfigChange) => void
  readonly reject: (error: unknown) => void
}

/** Loads the configuration. Does not throw when it cannot be read: `current()` does, until somebody repairs the file. */
export async function createConfigService(options: ConfigServiceOptions): Promise<RunningConfig> {
  const { vault, version, log, clock = systemClock } = options
  const file = createConfigFile(options.file, options.lastGoodFile ?? `${options.file}.last-good`)
  const checks = createSectionChecks()
  const listeners = new Set<(change: ConfigChange) => void>()
  const queue: Waiting[] = []
  let contributions: readonly ConfigContribution[] = [CORE_CONTRIBUTION]
  let loaded: Loaded | undefined
  let unavailable = new ConfigUnavailableError('not_loaded', 'The configuration is not loaded yet.')
  // What lies on disk was not taken over; it is copied before it is replaced.
  let isCorrupt = false
  let isRestored = false
  let refused: string | undefined
  let secrets: ReadonlySet<string> | undefined
  let working: Promise<void> | undefined
  let isLookWanted = false
  let lookedAtMs = -Infinity
  let isClosed = false

  await lookAgain()

  return {
    current: () => seen().view.effective,
    at: (path) => valueAt(seen().view.effective, path.split('.')),
    revision: () => seen().revision,
    masked: () => maskedDocument(seen().view),
    isSecret: (path) => (loaded === undefined ? true : loaded.view.isSecret(path)),
    contributions: () => contributions,
    facts: () => file.facts(),
    reload: lookAgain,
    change,

    secretValues() {
      const { document, view } = seen()
      return (secrets ??= secretValuesOf(document, view.isSecret))
    },

    setContributions(plugins) {
      const next = [CORE_CONTRIBUTION, ...plugins]
      if (loaded !== undefined) loaded = { ...loaded, view: buildView(loaded.document, loaded.encrypted, next, checks) }
      contributions = next
      secrets = undefined
      encryptClearSecrets()
    },

    resolve(path: string, schema: TObject) {
      const parts = path.split('.')
      const { value, problems, valid } = checks.resolve(schema, valueAt(seen().document, parts))
      return { value: freeze(copy(value)), valid, problems: problems.map((problem) => ({ path: formatPath([...parts, ...problem.path]), message: problem.msg })) }
    },

    onSaved(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    status: () => ({
      available: loaded !== undefined,
      reason: loaded === undefined ? unavailable.reason : null,
      corrupt: isCorrupt,
      restoredFromLastGood: isRestored,
      warnings: loaded?.view.warnings ?? [],
    }),

    async close() {
      isClosed = true
      await working
    },
  }

  function seen(): Loaded {
    const nowMs = clock.now()
    if (nowMs - lookedAtMs >= LOOK_EVERY_MS && !isClosed) {
      lookedAtMs = nowMs
      isLookWanted = true
      wake()
    }
    if (loaded === undefined) throw unavailable
    return loaded
  }

  async function lookAgain(): Promise<void> {
    lookedAtMs = clock.now()
    isLookWanted = true
    await wake()
  }

  function change(by: string, mutate: (draft: ConfigDocument) => void, { ifRevision }: ChangeOptions = {}): Promise<ConfigChange> {
    if (isClosed) return Promise.reject(new PlayheadError('PLH_ABORTED', 'The service is stopping; the configuration was not changed.'))
    if (queue.length >= MAX_WAITING) return Promise.reject(new PlayheadError('PLH_TOO_MANY', 'Too many changes of the configuration wait to be saved.'))
    return new Promise((resolve, reject) => {
      queue.push({ by, mutate, ifRevision, resolve, reject })
      void wake()
    })
  }

  function wake(): Promise<void> {
    return (working ??= work().finally(() => {
      working = undefined
      // Something may have come in after the writer looked for the last time.
      if (isLookWanted || queue.length > 0) return wake()
    }))
  }

  async function work(): Promise<void> {
    while (isLookWanted || queue.length > 0) {
      isLookWanted = false
      try {
        await takeOverFromDisk()
      } catch (error) {
        log.error({ err: error }, 'the configuration file could not be looked at')
        if (loaded === undefined) unavailable = new ConfigUnavailableError('unreadable', 'The configuration file cannot be read.', error)
        for (const waiting of queue.splice(0)) waiting.reject(notSaved(error))
        continue
      }
      const batch = queue.splice(0)
      if (batch.length > 0) await save(batch)
    }
  }

  async function takeOverFromDisk(): Promise<void> {
    const reading = loaded === undefined ? await file.readAgain() : await file.read()
    if (reading.kind === 'unchanged') return
    if (reading.kind === 'missing') {
      if (loaded !== undefined) log.warn('the configuration file is gone; it is written again with the next change')
      else if (!await restoreLastGood()) adopt(firstDocument(), '')
      return
    }
    try {
      adopt(open(reading.text), reading.text)
    } catch (error) {
      await refuse(error)
      return
    }
    isCorrupt = false
    refused = undefined
    if (await file.readLastGood() !== reading.text) await keepLastGood(reading.text)
  }

  async function refuse(error: unknown): Promise<void> {
    const message = `The configuration file cannot be read: ${(error as Error).message}`
    // Looked at again and again until somebody repairs it, but said once.
    if (message !== refused) log.error({ err: error }, 'the configuration file cannot be read')
    refused = message
    if (loaded === undefined && error instanceof VaultError && error.fault !== 'damaged') {
      // The last good copy is encrypted with the same key.
      unavailable = new ConfigUnavailableError(error.fault, message, error)
      return
    }
    if (!isCorrupt) options.onCorrupt?.(message)
    isCorrupt = true
    if (loaded === undefined && !await restoreLastGood()) unavailable = new ConfigUnavailableError('unreadable', message, error)
  }

  async function restoreLastGood(): Promise<boolean> {
    const text = await file.readLastGood()
    if (text === undefined) return false
    try {
      adopt(open(text), text)
    } catch (error) {
      log.error({ err: error }, 'the last good copy of the configuration cannot be read either')
      if (error instanceof VaultError && error.fault !== 'damaged') unavailable = new ConfigUnavailableError(error.fault, error.message, error)
      else unavailable = new ConfigUnavailableError('unreadable', 'Neither the configuration file nor its last good copy can be read.', error)
      // There was a configuration: starting with an empty one would let the next visitor set the password.
      return true
    }
    isRestored = true
    log.warn('the configuration was restored from its last good copy')
    return true
  }

  function open(text: string): OpenedText {
    const opened = openText(text, vault)
    const wrong = checks.problems(AppAuthSection, opened.document['app_auth'] ?? {}).find(({ path }) => NEVER_DEFAULTED.includes(String(path[0])))
    if (wrong !== undefined) throw new TypeError(`app_auth.${formatPath(wrong.path)} must not be guessed: ${wrong.msg}`)
    return opened
  }

  function adopt(opened: OpenedText, text: string): void {
    const before = loaded
    loaded = toLoaded(opened, text)
    secrets = undefined
    encryptClearSecrets()
    const paths = before === undefined ? [] : changedPaths(before.document, loaded.document)
    if (paths.length > 0) announce([{ by: EDITED_BY_HAND, paths }])
  }

  function toLoaded(opened: OpenedText, text: string): Loaded {
    const { ciphertexts, encrypted } = opened
    const document = freeze(opened.document)
    const revision = createHash('sha256').update(text).digest('hex').slice(0, 16)
    return { document, ciphertexts, encrypted, revision, view: buildView(document, encrypted, contributions, checks) }
  }

  async function save(batch: readonly Waiting[]): Promise<void> {
    const base = loaded
    if (base === undefined) {
      for (const waiting of batch) waiting.reject(unavailable)
      return
    }
    const { document, accepted } = applyAll(base, batch)
    const { isSecret } = base.view
    if (accepted.every(({ paths }) => paths.length === 0) && !hasClearSecrets(document, isSecret, base.ciphertexts)) {
      for (const { waiting } of accepted) waiting.resolve({ revision: base.revision, paths: [] })
      return
    }
    let text: string
    let next: Loaded
    try {
      const sealed = sealText(document, isSecret, vault, base.ciphertexts)
      text = sealed.text
      next = toLoaded(sealed, text)
      if (isCorrupt) log.warn({ copy: await file.setAside(new Date(clock.now()).toISOString().replaceAll(':', '-')) }, 'the unreadable configuration file was set aside')
      await file.write(text)
    } catch (error) {
      log.error({ err: error }, 'the configuration could not be saved')
      for (const { waiting } of accepted) waiting.reject(notSaved(error))
      return
    }
    loaded = next
    secrets = undefined
    isCorrupt = false
    announce(accepted.map(({ waiting, paths }) => ({ by: waiting.by, paths })))
    for (const { waiting, paths } of accepted) waiting.resolve({ revision: next.revision, paths: paths.map(formatPath) })
    await keepLastGood(text)
  }

  function applyAll(base: Loaded, batch: readonly Waiting[]) {
    let { document } = base
    const accepted: { readonly waiting: Waiting; readonly paths: readonly Path[] }[] = []
    for (const waiting of batch) {
      try {
        const isStale = waiting.ifRevision !== undefined && (waiting.ifRevision !== base.revision || document !== base.document)
        if (isStale) throw new PlayheadError('PLH_CONFLICT', 'The configuration changed meanwhile. Read it again and repeat the change.', { wire: 'config_conflict', details: { revision: base.revision } })
        const applied = applyChange(document, waiting.mutate, { contributions, checks, version })
        document = applied.document
        accepted.push({ waiting, paths: applied.paths })
      } catch (error) {
        waiting.reject(error)
      }
    }
    return { document, accepted }
  }

  async function keepLastGood(text: string): Promise<void> {
    try {
      await file.keepLastGood(text)
    } catch (error) {
      log.warn({ err: error }, 'the last good copy of the configuration could not be written')
    }
  }

  function encryptClearSecrets(): void {
    if (loaded === undefined || isClosed || !hasClearSecrets(loaded.document, loaded.view.isSecret, loaded.ciphertexts)) return
    change('core', () => undefined).catch((error: unknown) => log.warn({ err: error }, 'secrets in the configuration file could not be encrypted'))
  }

  function announce(changes: readonly { readonly by: string; readonly paths: readonly Path[] }[]): void {
    const { revision } = loaded as Loaded
    const named = changes.map(({ by, paths }) => ({ by, paths: paths.map(formatPath) })).filter(({ paths }) => paths.length > 0)
    if (named.length === 0) return
    for (const { by, paths } of named) guarded(() => options.record?.({ by, paths, revision, atMs: clock.now() }))
    const saved: ConfigChange = { revision, paths: [...new Set(named.flatMap(({ paths }) => paths))] }
    for (const listener of listeners) guarded(() => listener(saved))
  }

  function guarded(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      log.error({ err: error }, 'a listener of configuration changes failed')
    }
  }
}

function firstDocument(): OpenedText {
  return { document: copy({ ui: { _autogen: true } }), ciphertexts: new Map(), encrypted: new Set() }
}

function notSaved(cause: unknown): PlayheadError {
  return new PlayheadError('PLH_NOT_READY', 'The configuration could not be saved. Check the space and the rights of the data directory.', { cause, status: 500, wire: 'config_save_failed' })
}
