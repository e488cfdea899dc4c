// Plugins: the list, or one plugin.
import type { PageProps } from '../../app/page-props.ts'
import { PluginList } from './list.tsx'
import { PluginPage } from './plugin.tsx'

export default function Plugins({ path, params }: PageProps) {
  return path === '/plugins/:id' ? <PluginPage id={params['id'] as string} /> : <PluginList />
}
