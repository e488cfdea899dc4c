// The services that Playhead keeps alike: all of them, or one with its profiles.
import type { PageProps } from '../../app/routes.ts'
import { ConnectionList } from './list.tsx'
import { ProviderPage } from './provider.tsx'

export default function Connections({ path, params }: PageProps) {
  const { provider = '' } = params
  return path === '/connections/:provider' ? <ProviderPage key={provider} provider={provider} /> : <ConnectionList />
}
