// Builds the plugin of a rule: the default export of its entry file, which runs on the main thread as a plugin and on the
// analyzer's thread as a rule.
import { type DefinedPlugin, definePlugin } from '../define.ts'
import type { LentModule } from '../thread.ts'
import { ANALYZERS, type AnalyzerRule, type RuleDescription } from './contract.ts'

/** A plugin with its rule. */
export interface DefinedAnalyzer extends DefinedPlugin {
  readonly rule: AnalyzerRule
}

/**
 * Declares a rule. plugin.json has the kind `analyzer` and provides `analyzer:<name>`.
 *
 * @example
 * export default defineAnalyzer({
 *   label: 'Titles without a year',
 *   problems: [{ type: 'missing_year', severity: 'info', category: 'ids', meaning: 'The title has no year.' }],
 *   needs: { features: ['watchlist'] },
 *   *inspect({ rows }) {
 *     for (const { key, item } of rows) if (item.year == null) yield { type: 'missing_year', key }
 *   },
 * })
 */
export function defineAnalyzer(rule: AnalyzerRule): DefinedAnalyzer {
  const description: RuleDescription = {
    label: rule.label,
    problems: rule.problems,
    needs: rule.needs ?? {},
    fixes: rule.fix === undefined ? [] : rule.problems.filter(({ fix }) => fix !== undefined).map(({ type }) => type),
  }
  const plugin = definePlugin({
    setup(ctx) {
      const token = ctx.manifest.provides?.find((one) => one.startsWith(ANALYZERS.prefix))
      if (token === undefined)
        throw new TypeError(
          `plugin.json has to provide "${ANALYZERS.prefix}<name>", for example "${ANALYZERS.prefix}${ctx.id}".`,
        )
      let module: Promise<LentModule> | undefined
      ctx.provide(
        ANALYZERS.of(token.slice(ANALYZERS.prefix.length)),
        { describe: () => description, module: () => (module ??= ctx.lendModule(ctx.manifest.entry ?? 'index.ts')) },
        { whileDormant: ['describe'] },
      )
    },
  })
  return { ...plugin, rule }
}

/** The rule in the default export of a module; undefined for anything else. */
export function ruleOf(exported: unknown): AnalyzerRule | undefined {
  const rule = (exported as Partial<DefinedAnalyzer> | null | undefined)?.rule
  return typeof rule === 'object' && rule !== null && Array.isArray(rule.problems) ? rule : undefined
}
