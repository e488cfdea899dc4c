// Fields that plugins add to sections of the core.
import type { ConfigContribution, ConfigSection } from './contract.ts'
import { CORE_CONTRIBUTION } from './sections.ts'

/** Core sections that plugins may add fields to. The others control access. */
export const OPEN_SECTIONS = ['ui'] as const

/** Owners by path: whole sections, and single fields of open sections. */
export function pathsOf({ sections, additions = [] }: Pick<ConfigContribution, 'sections' | 'additions'>): string[] {
  const fields = additions.flatMap(({ path, schema }) =>
    Object.keys(schema.properties).map((name) => `${path}.${name}`),
  )
  return [...sections.map(({ path }) => path), ...fields]
}

export const CORE_PATHS: ReadonlySet<string> = new Set(
  pathsOf({
    sections: CORE_CONTRIBUTION.sections,
    additions: CORE_CONTRIBUTION.sections.filter(({ path }) => OPEN_SECTIONS.some((open) => open === path)),
  }),
)

/** Merges additions into their sections. Equal additions give the same schema. */
export function createAdditions(): (contributions: readonly ConfigContribution[]) => readonly ConfigContribution[] {
  // Schemas are compiled on first use, and the list is set again with every plugin change.
  const known = new Map<string, { readonly key: string; readonly section: ConfigSection }>()

  function add(section: ConfigSection, additions: readonly ConfigSection[]): ConfigSection {
    const added = additions.filter(({ path }) => path === section.path)
    if (added.length === 0) return section
    const own = added.map(({ schema }) => schema)
    const hasCheckedDefaults = [section, ...added].every((one) => one.hasCheckedDefaults === true)
    const key = JSON.stringify([own, hasCheckedDefaults])
    const last = known.get(section.path)
    if (last?.key === key) return last.section
    const schema = {
      ...section.schema,
      properties: Object.assign({}, section.schema.properties, ...own.map(({ properties }) => properties)),
      required: [section.schema, ...own].flatMap(({ required = [] }) => required),
    }
    const merged: ConfigSection = { path: section.path, schema, hasCheckedDefaults }
    known.set(section.path, { key, section: merged })
    return merged
  }

  return (contributions) => {
    const additions = contributions.flatMap((one) => one.additions ?? [])
    if (additions.length === 0) return contributions
    return contributions.map((one) => ({ ...one, sections: one.sections.map((section) => add(section, additions)) }))
  }
}
