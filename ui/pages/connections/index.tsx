// Connections: the list, or one service.
import type { PageProps } from '../../app/page-props.ts'
import { ConnectionList } from './list.tsx'
import { ProviderPage } from './provider.tsx'

export default function Connections({ path, params }: PageProps) {
  const { provider = '' } = params
  return path === '/connections/:provider' ? <ProviderPage key={provider} provider={provider} /> : <ConnectionList />
}
