// The configuration: one document, one file, one writer.
//
// The writer takes all queued changes, applies them in order to the latest document, and writes the file once; each
// caller resolves when its change is on disk. Readers see the new document only then, so a crash cannot undo a visible
// change. Manual edits are detected within seconds and before every write; an unreadable file is set aside, never lost.
import { createHash } from 'node:crypto'
import type { TObject } from '@sinclair/typebox'
import type { Logger, PlayheadError } from '@playhead/sdk'
import { systemClock, type Clock } from '../clock.ts'
import { VaultError, type Vault } from '../storage/vault.ts'
import { createAdditions } from './additions.ts'
import { createChangeQueue, notSaved, type WaitingChange } from './change-queue.ts'
import { createConfigFile, type ConfigFile, type FileFacts } from './config-file.ts'
import type { ConfigChange, ConfigContribution, ConfigService } from './contract.ts'
import { changedPaths, copy, formatPath, freeze, valueAt, type Path } from './document/document.ts'
import { applyAll } from './draft.ts'
import { createSectionChecks, defaultOf, type SectionChecks } from './document/resolve-section.ts'
import type { JsonSchema } from './document/schema-walk.ts'
import { hasClearSecrets, openText, sealText, type OpenedText } from './secrets/sealed-text.ts'
import { AppAuthSection, CORE_CONTRIBUTION, NEVER_DEFAULTED } from './sections.ts'
import { ConfigUnavailableError, type UnavailableReason } from './contract.ts'
import { buildView, maskedDocument, secretValuesOf, type ConfigView, type ConfigWarning } from './view.ts'

const CHECK_EVERY_MS = 2_000
const EDITED_BY_HAND = 'file'

export interface ConfigServiceOptions {
  readonly file: string | ConfigFile
  /** Default: the file's name with `.last-good`. */
  readonly lastGoodFile?: string
  readonly vault: Vault
  /** Version of the service. */
  readonly version: string
  readonly log: Logger
  readonly clock?: Clock
  /** Compiled once for all services that share it. */
  readonly checks?: SectionChecks
  /** Called when the file is unreadable. */
  readonly onCorrupt?: (message: string) => void
  /** Called for each saved change. */
  readonly record?: (entry: ChangeRecord) => void
}

export interface ChangeRecord extends ConfigChange {
  readonly by: string
  readonly atMs: number
}

interface ConfigStatus {
  readonly available: boolean
  readonly reason: UnavailableReason | null
  /** The file is unreadable and an earlier state is in use. */
  readonly corrupt: boolean
  readonly restoredFromLastGood: boolean
  readonly warnings: readonly ConfigWarning[]
}

export interface RunningConfig extends ConfigService {
  status(): ConfigStatus
  /** As `masked`, serialized once. The version starts with the revision and changes with the text. */
  maskedText(): { readonly version: string; readonly text: string }
  /** Checks the file now. */
  reload(): Promise<void>
  facts(): Promise<FileFacts>
  /** Current contributions, including the core's own sections. */
  contributions(): readonly ConfigContribution[]
  /** Refuses changes from now on: they would be lost with the restart. */
  refuseChanges(error: () => PlayheadError): void
  /** Saves queued changes, then refuses further ones. */
  close(): Promise<void>
}

interface Loaded extends OpenedText {
  readonly revision: string
  readonly view: ConfigView
}

/** Loads the configuration. Does not throw for an unreadable file: `current()` does, until the file is repaired. */
export async function createConfigService(options: ConfigServiceOptions): Promise<RunningConfig> {
  const { vault, version, log, clock = systemClock, checks = createSectionChecks() } = options
  const file =
    typeof options.file === 'string'
      ? createConfigFile(options.file, options.lastGoodFile ?? `${options.file}.last-good`)
      : options.file
  const withAdditions = createAdditions()
  const schemas = new Map<
    string,
    { readonly text: string; readonly schema: TObject; readonly given: WeakRef<TObject> }
  >()
  const listeners = new Set<(change: ConfigChange) => void>()
  const queue = createChangeQueue({ check: takeOverFromDisk, save })
  let contributions: readonly ConfigContribution[] = [CORE_CONTRIBUTION]
  let loaded: Loaded | undefined
  let unavailable = new ConfigUnavailableError('not_loaded', 'The configuration is not loaded yet.')
  // The file was not loaded; it is copied before it is replaced.
  let isCorrupt = false
  let isRestored = false
  let lastRefusal: string | undefined
  let secrets: ReadonlySet<string> | undefined
  let written: { readonly of: ConfigView; readonly version: string; readonly text: string } | undefined
  let checkedAtMs = clock.now()

  await queue.check()

  return {
    current: () => seen().view.effective,
    at: (path) => valueAt(seen().view.effective, path.split('.')),
    revision: () => seen().revision,
    masked: () => maskedDocument(seen().view),
    maskedText() {
      const { view, revision } = seen()
      if (written?.of === view) return written
      const text = JSON.stringify(maskedDocument(view))
      // Plugins contribute defaults and secrets, so one revision may have several texts.
      written = { of: view, version: `${revision}.${shortHash(text)}`, text }
      return written
    },
    isSecret: (path) => (loaded === undefined ? true : loaded.view.isSecret(path)),
    // Used by the log, which must work while the configuration does not.
    secretValues: () =>
      (secrets ??= loaded === undefined ? new Set() : secretValuesOf(loaded.document, loaded.view.isSecret)),
    change: (by, mutate, { ifRevision, waitMs } = {}) => queue.add({ by, mutate, ifRevision, waitMs }),
    contributions: () => contributions,
    facts: () => file.facts(),
    reload: () => queue.check(),
    refuseChanges: (error) => queue.refuse(error),
    close: () => queue.close(),

    setContributions(plugins) {
      const next = withKnownSchemas(withAdditions([CORE_CONTRIBUTION, ...plugins]))
      const isSame = hasSameSections(contributions, next)
      if (isSame) return void (contributions = next)
      if (loaded !== undefined) loaded = { ...loaded, view: buildView(loaded.document, loaded.encrypted, next, checks) }
      contributions = next
      secrets = undefined
      encryptClearSecrets()
    },

    resolve(path, schema, { hasCheckedDefaults = false } = {}) {
      const parts = path.split('.')
      const stored = valueAt(seen().document, parts)
      if (stored === undefined && hasCheckedDefaults)
        return { value: freeze(defaultOf(schema as JsonSchema)), problems: [], valid: true }
      const { value, problems, valid } = checks.resolve(knownSchema(path, schema), stored)
      const named = problems.map((problem) => ({ path: formatPath([...parts, ...problem.path]), message: problem.msg }))
      return { value: freeze(copy(value)), problems: named, valid }
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
  }

  function withKnownSchemas(given: readonly ConfigContribution[]): readonly ConfigContribution[] {
    return given.map((one) => ({
      ...one,
      sections: one.sections.map((section) => ({ ...section, schema: knownSchema(section.path, section.schema) })),
    }))
  }

  /** The schema of this section before, if it is equal: a reloaded plugin has the same as another object. */
  function knownSchema(path: string, schema: TObject): TObject {
    const known = schemas.get(path)
    if (known?.given.deref() === schema) return known.schema
    const text = JSON.stringify(schema)
    const kept = known?.text === text ? known.schema : schema
    schemas.set(path, { text, schema: kept, given: new WeakRef(schema) })
    return kept
  }

  function seen(): Loaded {
    const nowMs = clock.now()
    if (nowMs - checkedAtMs >= CHECK_EVERY_MS && !queue.isClosed) {
      checkedAtMs = nowMs
      void queue.check()
    }
    if (loaded === undefined) throw unavailable
    return loaded
  }

  async function takeOverFromDisk(): Promise<void> {
    let text: string
    try {
      const reading = loaded === undefined ? await file.readAgain() : await file.read()
      if (reading.kind === 'unchanged') return
      if (reading.kind === 'missing') return await beginWithoutFile()
      text = reading.text
    } catch (error) {
      log.error({ err: error }, 'the configuration file could not be checked')
      if (loaded === undefined)
        unavailable = new ConfigUnavailableError('unreadable', 'The configuration file cannot be read.', error)
      throw error
    }
    try {
      adopt(open(text), text)
    } catch (error) {
      return await refuse(error)
    }
    isCorrupt = false
    lastRefusal = undefined
    if ((await file.readLastGood()) !== text) await keepLastGood(text)
  }

  async function beginWithoutFile(): Promise<void> {
    if (loaded !== undefined) log.warn('the configuration file is missing; it is written again with the next change')
    else if (!(await restoreLastGood())) adopt(firstDocument(), '')
  }

  async function refuse(error: unknown): Promise<void> {
    const message = `The configuration file cannot be read: ${(error as Error).message}`
    // Retried until repaired, but logged once.
    if (message !== lastRefusal) log.error({ err: error }, 'the configuration file cannot be read')
    lastRefusal = message
    if (loaded === undefined && error instanceof VaultError && error.fault !== 'damaged') {
      // The last good copy is encrypted with the same key.
      unavailable = new ConfigUnavailableError(error.fault, message, error)
      return
    }
    if (!isCorrupt) options.onCorrupt?.(message)
    isCorrupt = true
    if (loaded === undefined && !(await restoreLastGood()))
      unavailable = new ConfigUnavailableError('unreadable', message, error)
  }

  /**
   * False if there is no copy. An unreadable copy must not lead to an empty configuration: the next visitor could set
   * the password.
   */
  async function restoreLastGood(): Promise<boolean> {
    const text = await file.readLastGood()
    if (text === undefined) return false
    try {
      adopt(open(text), text)
      isRestored = true
      log.warn('the configuration was restored from its last good copy')
    } catch (error) {
      const reason = error instanceof VaultError && error.fault !== 'damaged' ? error.fault : 'unreadable'
      unavailable = new ConfigUnavailableError(
        reason,
        'Neither the configuration file nor its last good copy can be read.',
        error,
      )
      log.error({ err: error }, 'the last good copy of the configuration cannot be read either')
    }
    return true
  }

  function open(text: string): OpenedText {
    const opened = openText(text, vault)
    const problems = checks.problems(AppAuthSection, opened.document['app_auth'] ?? {})
    const wrong = problems.find(({ path }) => path.length === 0 || NEVER_DEFAULTED.includes(String(path[0])))
    if (wrong !== undefined)
      throw new TypeError(`${formatPath(['app_auth', ...wrong.path])} must not be guessed: ${wrong.msg}`)
    return opened
  }

  function adopt(opened: OpenedText, text: string): void {
    const before = loaded
    loaded = toLoaded(opened, text)
    secrets = undefined
    encryptClearSecrets()
    if (before !== undefined) announce([{ by: EDITED_BY_HAND, paths: changedPaths(before.document, loaded.document) }])
  }

  function toLoaded({ document, ciphertexts, encrypted }: OpenedText, text: string): Loaded {
    const revision = shortHash(text)
    return {
      document: freeze(document),
      ciphertexts,
      encrypted,
      revision,
      view: buildView(document, encrypted, contributions, checks),
    }
  }

  async function save(batch: readonly WaitingChange[]): Promise<void> {
    const base = loaded
    if (base === undefined) return batch.forEach(({ reject }) => reject(unavailable))
    const { document, accepted } = await applyAll(base.document, base.revision, batch, {
      contributions: () => contributions,
      checks,
      version,
    })
    // An owner may have been loaded meanwhile, which replaces the view.
    const { isSecret } = (loaded ?? base).view
    if (document === base.document && !hasClearSecrets(document, isSecret, base.ciphertexts)) {
      return accepted.forEach(({ waiting }) => waiting.resolve({ revision: base.revision, paths: [] }))
    }
    let text: string
    let next: Loaded
    try {
      const sealed = sealText(document, isSecret, vault, base.ciphertexts)
      text = sealed.text
      next = toLoaded(sealed, text)
      if (isCorrupt) await setAside()
      await file.write(text)
    } catch (error) {
      log.error({ err: error }, 'the configuration could not be saved')
      return accepted.forEach(({ waiting }) => waiting.reject(notSaved(error)))
    }
    loaded = next
    secrets = undefined
    isCorrupt = false
    announce(accepted.map(({ waiting, paths }) => ({ by: waiting.by, paths })))
    for (const { waiting, paths } of accepted)
      waiting.resolve({ revision: next.revision, paths: paths.map(formatPath) })
    await keepLastGood(text)
  }

  async function setAside(): Promise<void> {
    const copied = await file.setAside(new Date(clock.now()).toISOString().replaceAll(':', '-'))
    log.warn({ copy: copied }, 'the unreadable configuration file was set aside')
  }

  async function keepLastGood(text: string): Promise<void> {
    try {
      await file.keepLastGood(text)
    } catch (error) {
      log.warn({ err: error }, 'the last good copy of the configuration could not be written')
    }
  }

  function encryptClearSecrets(): void {
    if (
      loaded === undefined ||
      queue.isClosed ||
      !hasClearSecrets(loaded.document, loaded.view.isSecret, loaded.ciphertexts)
    )
      return
    queue
      .add({ by: 'core', mutate: () => undefined, ifRevision: undefined })
      .catch((error: unknown) => log.warn({ err: error }, 'secrets in the configuration file could not be encrypted'))
  }

  function announce(changes: readonly { readonly by: string; readonly paths: readonly Path[] }[]): void {
    const { revision } = loaded as Loaded
    const named = changes
      .map(({ by, paths }) => ({ by, paths: paths.map(formatPath) }))
      .filter(({ paths }) => paths.length > 0)
    if (named.length === 0) return
    for (const { by, paths } of named) guarded(() => options.record?.({ by, paths, revision, atMs: clock.now() }))
    const saved: ConfigChange = { revision, paths: [...new Set(named.flatMap(({ paths }) => paths))] }
    for (const listener of listeners) guarded(() => listener(saved))
  }

  function guarded(report: () => void): void {
    try {
      report()
    } catch (error) {
      log.error({ err: error }, 'a listener of configuration changes failed')
    }
  }
}

/**
 * Everything that the effective document depends on besides the stored one. The order does not matter: paths are
 * unique.
 */
function hasSameSections(before: readonly ConfigContribution[], next: readonly ConfigContribution[]): boolean {
  const known = new Map(before.flatMap(({ sections }) => sections.map((section) => [section.path, section] as const)))
  const now = next.flatMap(({ sections }) => sections)
  return (
    now.length === known.size &&
    now.every(({ path, schema, hasCheckedDefaults }) => {
      const one = known.get(path)
      return one?.schema === schema && one.hasCheckedDefaults === hasCheckedDefaults
    })
  )
}

function firstDocument(): OpenedText {
  return { document: copy({ ui: { _autogen: true } }), ciphertexts: new Map(), encrypted: new Set() }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
