// The scale of quality: what each level asks for, as data. The guide for authors and the page of the directory list the same
// checks by their ids.
import { PLUGIN_LEVELS, type PluginLevel, type PluginManifest } from '@playhead/sdk'

/** The findings about a version. */
export interface Facts {
  readonly manifest: PluginManifest
  readonly builtIn: boolean
  /** "plugin check" found nothing wrong. */
  readonly isSound: boolean
  /** Packing it twice gives the same archive; null for a part of Playhead. */
  readonly isPacked: boolean | null
  /** Of the conformance kit, or the checks of its kind; null if there are none for the kind. */
  readonly report: {
    readonly points: number
    readonly possible: number
    readonly unexercised: readonly string[]
  } | null
  /** Its own tests pass; null for a part of Playhead, whose tests are the product's. */
  readonly isTested: boolean | null
  readonly readme: string
  /** Languages beside English with a text for each text. */
  readonly languages: readonly string[]
  readonly source: string | null
  readonly changes: readonly string[]
  /** The directory has an earlier version. */
  readonly isUpdate: boolean
}

export interface LevelCheck {
  readonly id: string
  /** Null: it does not apply. */
  readonly isMet: (facts: Facts) => boolean | null
}

/** Kinds that the conformance kit, or the checks for formats and notifiers, look at. */
export const TESTED_KINDS: readonly string[] = ['provider', 'importer', 'exporter', 'notifier']
const MARKED_KINDS: readonly string[] = TESTED_KINDS

export const LEVEL_CHECKS: Readonly<Record<PluginLevel, readonly LevelCheck[]>> = {
  bronze: [
    { id: 'sound', isMet: ({ isSound }) => isSound },
    { id: 'packed', isMet: ({ isPacked }) => isPacked },
    { id: 'readme', isMet: ({ builtIn, readme }) => (builtIn ? null : readme.trim().length > 200) },
  ],
  silver: [
    {
      id: 'conforms',
      isMet: ({ manifest, report }) => ifTested(manifest, report !== null && report.points === report.possible),
    },
    { id: 'exercised', isMet: ({ manifest, report }) => ifTested(manifest, report?.unexercised.length === 0) },
    { id: 'limits', isMet: ({ builtIn, readme }) => (builtIn ? null : /^#+ .*\blimits?\b/im.test(readme)) },
  ],
  gold: [
    { id: 'tested', isMet: ({ isTested }) => isTested },
    { id: 'translated', isMet: ({ languages }) => languages.length > 0 },
    { id: 'mark', isMet: ({ manifest: { kind, mark } }) => (MARKED_KINDS.includes(kind) ? mark !== undefined : null) },
    { id: 'contained', isMet: ({ builtIn, manifest }) => (builtIn ? null : isContained(manifest)) },
  ],
  platinum: [
    { id: 'changes', isMet: ({ builtIn, isUpdate, changes }) => (builtIn || !isUpdate ? null : changes.length > 0) },
    { id: 'source', isMet: ({ builtIn, source }) => (builtIn ? null : source !== null) },
    {
      id: 'pictured',
      isMet: ({ builtIn, readme }) => (builtIn ? null : /!\[[^\]]+\]\([^)]+\.(?:png|svg|webp|jpe?g)\)/i.test(readme)),
    },
  ],
}

/** The highest level whose checks are met with those below, and what the next one lacks. Null: not even bronze. */
export function levelOf(facts: Facts): { readonly level: PluginLevel | null; readonly missing: readonly string[] } {
  let level: PluginLevel | null = null
  for (const next of PLUGIN_LEVELS) {
    const missing = LEVEL_CHECKS[next].filter(({ isMet }) => isMet(facts) === false).map(({ id }) => id)
    if (missing.length > 0) return { level, missing }
    level = next
  }
  return { level, missing: [] }
}

function ifTested({ kind }: PluginManifest, isMet: boolean): boolean | null {
  return TESTED_KINDS.includes(kind) ? isMet : null
}

/** On a thread of its own, with hosts by name, and without power over the machine. */
function isContained({ isolation, needs = {} }: PluginManifest): boolean {
  const { hosts = [], builtins = [] } = needs
  return isolation !== 'none' && builtins.length === 0 && !hosts.some((host) => host.startsWith('*.'))
}
