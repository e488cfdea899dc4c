// Reports plugins that the host cannot run, or whose last change it could not load.
import type { PluginSummary } from '@playhead/sdk'
import { defineAnalyzer, type Finding } from '@playhead/sdk/analyzer'

const BROKEN = new Set(['failed', 'blocked', 'quarantined', 'stuck'])
const TYPES: Readonly<Record<string, string>> = {
  PLH_PLUGIN_MANIFEST: 'plugin_manifest_invalid',
  PLH_PLUGIN_API_RANGE: 'plugin_version_mismatch',
  PLH_PLUGIN_INTEGRITY: 'plugin_version_mismatch',
  PLH_PLUGIN_EXPORT: 'plugin_contract_incomplete',
  PLH_PLUGIN_UNDECLARED: 'plugin_contract_incomplete',
  PLH_PLUGIN_ROUTE_UNDECLARED: 'plugin_contract_incomplete',
  PLH_CAPABILITY_MISSING: 'plugin_contract_incomplete',
}

const kind = (type: string, severity: 'error' | 'warn', meaning: string) => ({
  type,
  severity,
  category: 'provider',
  meaning,
})

export default defineAnalyzer({
  label: 'Plugins',
  problems: [
    kind('plugin_load_failed', 'error', 'A plugin does not run.'),
    kind('plugin_contract_incomplete', 'error', 'A plugin does not do what it declares.'),
    kind('plugin_manifest_invalid', 'error', 'The plugin.json of a plugin is wrong.'),
    kind(
      'plugin_version_mismatch',
      'error',
      'A plugin is made for another version, or is not what the registry expects.',
    ),
    kind('plugin_reload_failed', 'warn', 'The last change of a plugin could not be used; the version before it runs.'),
  ],
  needs: { system: true },
  begin: ({ plugins }) => ({
    *end() {
      for (const plugin of plugins) yield* findingsOf(plugin)
    },
  }),
})

function* findingsOf({ id, name, state, error, edit }: PluginSummary): Iterable<Finding> {
  const fields = { module: id, path: `plugins/${id}` }
  if (BROKEN.has(state))
    yield {
      type: TYPES[error ?? ''] ?? 'plugin_load_failed',
      message: `${name} is ${state}${error === undefined ? '' : ` (${error})`}.`,
      fields: { ...fields, state, error: error ?? null },
    }
  if (edit !== undefined)
    yield {
      type: 'plugin_reload_failed',
      message: `A change of ${name} could not be used: ${edit.message.slice(0, 300)}`,
      fields: { ...fields, error: edit.code, file: edit.file, line: edit.line },
    }
}
