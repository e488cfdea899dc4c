// The exporter or importer of a plugin, without a host: for tests of its rows.
import type { Capability } from '../../capability.ts'
import type { PluginContext } from '../../context.ts'
import type { DefinedPlugin } from '../../define.ts'
import type { Exporter } from '../../exporter/contract.ts'

/** The objects that `defineExporter` provides. */
export function exporterOf(plugin: DefinedPlugin): Promise<Exporter> {
  return providedBy(plugin, 'exporter:')
}

async function providedBy<Service>(plugin: DefinedPlugin, prefix: string): Promise<Service> {
  let found: unknown
  const provide = ({ token }: Capability, value: object) => {
    if (token.startsWith(prefix)) found = value
  }
  await plugin.setup?.({ provide, manifest: {} } as unknown as PluginContext<never, Record<string, unknown>>)
  if (found === undefined) throw new TypeError(`The plugin provides no ${prefix.slice(0, -1)}.`)
  return found as Service
}
