// Writes the JSON schemas for editors: `node sdk/generate-schemas.ts`.
import { writeFileSync } from 'node:fs'
import { PluginManifest, PluginRegistry } from './manifest.ts'

export const SCHEMA_FILES: Readonly<Record<string, object>> = {
  'plugin.schema.json': PluginManifest,
  'registry.schema.json': PluginRegistry,
}

/** The text of a schema file. */
export function schemaText(schema: object): string {
  return `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }, null, 2)}\n`
}

if (import.meta.main) {
  for (const [name, schema] of Object.entries(SCHEMA_FILES))
    writeFileSync(new URL(name, import.meta.url), schemaText(schema))
}
