// Descriptions of all shipped providers, from their plugins.
import { readFile } from 'node:fs/promises'
import { type Provider, type ProviderDescription, providerCapability } from '@playhead/sdk'
import { createTestAccounts, createTestHost } from '@playhead/sdk/testing'

const ROOT = new URL('../../', import.meta.url)

export async function shippedProviders(): Promise<readonly ProviderDescription[]> {
  const registry = (await json(new URL('plugin-registry.json', ROOT))) as { plugins: { source: string }[] }
  const descriptions = await Promise.all(
    registry.plugins.map(async ({ source }) => {
      const folder = new URL(`${source}/`, ROOT)
      const manifest = (await json(new URL('plugin.json', folder))) as { kind: string; provider?: { id: string } }
      if (manifest.provider === undefined) return []
      const { default: plugin } = await import(new URL('index.ts', folder).href)
      await using host = await createTestHost({
        plugin,
        manifest: new URL('plugin.json', folder),
        capabilities: { accounts: createTestAccounts() },
      })
      const provider = host.capability<Provider>(providerCapability(manifest.provider.id))
      return [await provider.describe()]
    }),
  )
  return descriptions.flat()
}

async function json(file: URL): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'))
}
