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
    kind('plugin_load_failed', 'error', 'A plugin is not running.'),
    kind('plugin_contract_incomplete', 'error', 'A plugin does not match its plugin.json.'),
    kind('plugin_manifest_invalid', 'error', 'The plugin.json of a plugin is not valid.'),
    kind(
      'plugin_version_mismatch',
      'error',
      'A plugin is for another version of Playhead, or does not match the registry.',
    ),
    kind('plugin_reload_failed', 'warn', 'The last change of a plugin failed. The previous version is running.'),
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
