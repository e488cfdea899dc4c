// Loads a plugin from its folder up to a publishable generation: manifest, compilation, integrity, staging.
import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { HookKind, HostFacts, Inspection, PluginDirectory, PluginManifest } from '@playhead/sdk'
import type { DataHost } from '../../data/data.ts'
import type { ConfigSection } from '../../config/contract.ts'
import { isHostAllowed, resolveAllowedHosts } from '../../upstream/allowed-hosts.ts'
import { runAsHost } from '../run/attribution.ts'
import { integrityOf, type CompiledPlugin } from './compile.ts'
import type { Capability } from '../compose/capabilities.ts'
import type { Composition } from '../compose/composition.ts'
import type { HostDependencies } from '../dependencies.ts'
import type { Death } from '../isolated/thread.ts'
import type { Threads } from '../isolated/threads.ts'
import { LoadError } from '../run/fault.ts'
import { versionOf as hashVersion } from './quarantine.ts'
import type { ReportFault } from '../run/guard.ts'
import { checkManifestGrants } from '../run/grants.ts'
import { bindSettings, changeSettings } from '../run/settings.ts'
import type { Slot } from '../compose/slot.ts'
import type { LivePlugin } from '../contract.ts'
import type { BuiltPlugin } from './sources.ts'
import { stagePlugin, type StagedPlugin, type StageRequest } from '../run/stage.ts'
import { sectionsOf } from './manifest-values.ts'
import type { Notifier } from '../show/notifier.ts'
import { defined } from '@playhead/sdk/host'

const ANYTHING = Type.Object({}, { additionalProperties: true })

export interface Prepared extends BuiltPlugin {
  readonly manifest: PluginManifest
}

interface Versioned extends Pick<Prepared, 'manifest'> {
  readonly compiled: Pick<CompiledPlugin, 'hash'>
}

export interface Loader {
  /** Reads and compiles; records the result in the slot. Throws a LoadError. @param isUsed because of a first use */
  prepare(slot: Slot, isUsed?: boolean): Promise<Prepared>
  /** Hash of the current sources and manifest. Throws a LoadError. */
  sourceHash(slot: Slot): Promise<string>
  /** Version of the code, the manifest and the stored settings. */
  versionOf(prepared: Versioned): string
  /** The author of the plugin works on it. */
  edited(slot: Slot): void
  /** Builds the next generation. Throws a LoadError after cleaning up. */
  stage(slot: Slot, prepared: Prepared): Promise<LivePlugin>
}

interface LoaderDependencies {
  readonly core: HostDependencies
  readonly notifier: Notifier
  readonly facts: HostFacts
  readonly inspection: Inspection
  readonly pluginDirectory: PluginDirectory
  readonly dataHost: DataHost
  readonly composition: () => Composition
  /** The plugins whose event names begin with this area. */
  readonly eventOwners: StageRequest['eventOwners']
  /** The capability of a plugin that is being loaded: calls wait for it. */
  readonly coming: (token: string) => Capability | undefined
  readonly report: ReportFault
  readonly limits?: StageRequest['limits']
  readonly onThread?: StageRequest['onThread']
  readonly threads: Threads
  /** The thread of a plugin ended by itself. */
  readonly died: (slot: Slot, generation: number, death: Death) => void
  readonly silenceMs?: number | undefined
}

export function createLoader({
  core,
  notifier,
  facts,
  inspection,
  pluginDirectory,
  dataHost,
  composition,
  eventOwners,
  coming,
  report,
  limits,
  onThread,
  threads,
  died,
  silenceMs,
}: LoaderDependencies): Loader {
  const versionOf = ({ manifest, compiled }: Versioned) =>
    hashVersion(
      compiled.hash,
      sectionsOf(manifest).map(
        (path) => core.config.resolve(path, ANYTHING, { hasCheckedDefaults: true }).value ?? null,
      ),
    )

  async function read(slot: Slot): Promise<Prepared> {
    const manifest = await core.sources.manifest(slot)
    slot.manifest = manifest
    const { granted } = slot.registered
    if (granted !== null) checkManifestGrants(manifest, granted)
    const { compiled, pages } = await core.sources.build(slot, manifest)
    await checkIntegrity(slot, [...compiled.inputs, ...(pages?.inputs ?? [])])
    const manifestHash = createHash('sha256')
      .update(JSON.stringify(manifest))
      .update(pages?.hash ?? '')
      .digest('hex')
    return {
      manifest,
      compiled: { ...compiled, hash: `${compiled.hash.slice(0, 40)}-${manifestHash.slice(0, 16)}` },
      pages,
    }
  }

  return {
    versionOf,
    sourceHash: async (slot) => (await read(slot)).compiled.hash,
    async prepare(slot, isUsed = false) {
      notifier.change(slot, { type: 'building', isUsed })
      try {
        const prepared = await read(slot)
        slot.change({ type: 'read', found: prepared.compiled.hash })
        return prepared
      } catch (error) {
        slot.change({ type: 'read', found: error instanceof Error ? error.message : String(error) })
        throw error
      }
    },

    edited(slot) {
      if (slot.manifest !== null && isIsolated(slot, slot.manifest)) threads.keepSpare()
    },

    async stage(slot, { manifest, compiled: { code, ...compiled }, pages }) {
      notifier.change(slot, { type: 'staging' })
      slot.seq += 1
      const owner = { plugin: slot.id, generation: slot.seq, work: 'request' } as const
      // Used while the plugin is staged; afterwards the slot has the current settings.
      const binding: {
        contribution: LivePlugin['contribution']
        config: LivePlugin['config']
        live: LivePlugin | null
      } = { contribution: null, config: {}, live: null }
      const config = () => binding.live?.config ?? binding.config
      // All plugins of a start are published together, so a staged one need not wait for another.
      const findCapability = (token: string) =>
        composition().capabilities.get(token) ?? (binding.live === null ? undefined : coming(token))
      const allowedHosts = ofLatest(config, (settings) => resolveAllowedHosts(manifest.needs?.hosts ?? [], settings))
      // Migrations of the version that was rolled back remain.
      const allowsNewer = slot.registered.package?.rolledBack !== undefined
      const isolate: StageRequest['isolate'] = async (text, parts) => {
        // Imported with the first plugin that has a thread.
        const { isolate: start } = await import('../isolated/stand-in.ts')
        return start(
          {
            ...parts,
            code: text,
            manifest,
            directory: slot.directory,
            seq: owner.generation,
            paths: core.pluginPaths(slot.id),
            beforeMigration: core.beforeMigration,
            host: facts,
            allowsNewer,
            threads,
            silenceMs,
            limitMs: parts.setupMs,
            valuesOf: (token) => valuesOf(findCapability(token)),
            eventOwners,
            isAllowed: (hostname, port) => isHostAllowed(allowedHosts(), { hostname, port }),
            report,
            onDeath: (death) => died(slot, owner.generation, death),
          },
          parts.log,
        )
      }

      const isProven = compiled.hash === slot.proven?.sourceHash
      const staged = await stagePlugin(
        code,
        {
          manifest,
          directory: slot.directory,
          seq: slot.seq,
          compiled,
          isProven,
          pages,
          hookKinds: withoutOwn(composition().hookKinds, slot),
          bindConfig(registered) {
            const contribution = isProven ? withCheckedDefaults(registered, slot.proven?.sections ?? []) : registered
            binding.contribution = contribution
            binding.config = bindSettings(core.config, contribution, manifest, ({ path, message }) => {
              notifier.log(slot).warn({ path }, `a setting is not usable and its default is used: ${message}`)
            })
          },
          config,
          updateConfig: async (change) => {
            slot.selfChanges += 1
            try {
              await runAsHost(() =>
                core.config.change(`plugin:${slot.id}`, (draft) => changeSettings(draft, manifest, change)),
              )
            } finally {
              slot.selfChanges -= 1
            }
          },
          host: facts,
          inspection,
          pluginDirectory,
          dataHost,
          allowedHosts,
          ...(isIsolated(slot, manifest) ? { isolate } : {}),
          allowsNewer,
          isReviewed: slot.registered.granted !== null,
          findCapability,
          capabilityTokens: () => [...composition().capabilities.keys()],
          callHook: (name, input) => composition().callHook(name, input),
          tappedBy: (name) => composition().tappedBy(name),
          eventOwners,
          report,
          onRouteError: (error) => report(owner, 'a request', error),
          ...defined({ limits, onThread }),
        },
        core,
      )
      await handOverAhead(slot, staged)
      return (binding.live = {
        staged,
        contribution: binding.contribution,
        config: binding.config,
        version: versionOf({ manifest, compiled }),
      })
    },
  }
}

/** From the same source: its schemas are those of the snapshot, whose defaults were checked when it was written. */
function withCheckedDefaults(
  contribution: LivePlugin['contribution'],
  proven: readonly ConfigSection[],
): LivePlugin['contribution'] {
  if (contribution === null) return null
  const checked = new Set(proven.flatMap(({ path, hasCheckedDefaults }) => (hasCheckedDefaults === true ? [path] : [])))
  const sections = contribution.sections.map((section) =>
    checked.has(section.path) ? { ...section, hasCheckedDefaults: true } : section,
  )
  return { ...contribution, sections }
}

/** Added plugins run on threads of their own and bundled ones do not, unless plugin.json says otherwise. */
function isIsolated({ registered }: Slot, { isolation }: PluginManifest): boolean {
  return (isolation ?? (registered.origin === 'user' ? 'thread' : 'none')) === 'thread'
}

function valuesOf(capability: Capability | undefined): Readonly<Record<string, unknown>> | null {
  if (capability === undefined) return null
  return Object.fromEntries(Object.entries(capability.value).filter(([, member]) => typeof member !== 'function'))
}

/** Threads hand over state before the publish, which is synchronous. */
async function handOverAhead(slot: Slot, next: StagedPlugin): Promise<void> {
  const old = slot.state.live?.staged
  const give = old?.definition.handover?.give
  const take = next.definition.handover?.take
  if (old === undefined || give === undefined || take === undefined || !(old.isolated || next.isolated)) return
  try {
    await take(next.context, structuredClone(await give(old.context, old.made)), next.made)
  } catch (error) {
    await next.generation.retire('not published', 0)
    throw new LoadError(
      'publish',
      'PLH_PLUGIN_SETUP',
      `Plugin "${next.manifest.id}" could not hand over its state: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

function withoutOwn(kinds: ReadonlyMap<string, HookKind>, slot: Slot): ReadonlyMap<string, HookKind> {
  return new Map([...kinds].filter(([name]) => slot.state.live?.staged.hookKinds.has(name) !== true))
}

async function checkIntegrity(slot: Slot, inputs: readonly string[]): Promise<void> {
  const expected = slot.registered.integrity
  if (expected === null) return
  const actual = await integrityOf(slot.directory, [...new Set(inputs)])
  if (actual === expected) return
  throw new LoadError(
    'manifest',
    'PLH_PLUGIN_INTEGRITY',
    `Plugin "${slot.id}" is not what the registry expects (${expected}, found ${actual}). If the change is wanted, update "integrity" there.`,
  )
}

/** Memoizes the last value: settings are replaced, never mutated. */
function ofLatest<Value extends object, Result>(latest: () => Value, compute: (value: Value) => Result): () => Result {
  let known: { readonly value: Value; readonly result: Result } | undefined
  return () => {
    const value = latest()
    if (known?.value !== value) known = { value, result: compute(value) }
    return known.result
  }
}
