// Which hosts a plugin may reach: those its manifest names, and those the user entered in its settings.
import type { PluginManifest } from '@playhead/sdk'

/** Host patterns, `config:` entries replaced by the host and port that stand in the settings now. */
export function allowedHostsOf(manifest: PluginManifest, config: Readonly<Record<string, unknown>>): readonly string[] {
  return (manifest.needs?.hosts ?? []).flatMap((entry) => entry.startsWith('config:') ? addressesAt(config, entry.slice('config:'.length)) : [entry])
}

// The value at the path, in the settings themselves and in each profile below `instances`.
function addressesAt(config: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  const profiles = Object.values((config['instances'] ?? {}) as Record<string, unknown>)
  return [config, ...profiles].flatMap((settings) => {
    let value: unknown = settings
    for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key]
    return typeof value === 'string' ? hostOf(value) : []
  })
}

function hostOf(address: string): readonly string[] {
  if (!URL.canParse(address)) return []
  const url = new URL(address)
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  return [`${url.hostname}:${port}`]
}

/** Patterns: `name`, `*.name` (any depth below it), each with an optional port. */
export function hostMatches(patterns: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  return patterns.some((pattern) => {
    const [, wanted, wantedPort] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) as RegExpExecArray
    if (wantedPort !== undefined && Number(wantedPort) !== port) return false
    const bare = (wanted as string).replace(/^\[|\]$/g, '')
    return bare.startsWith('*.') ? name.endsWith(bare.slice(1)) : name === bare
  })
}
