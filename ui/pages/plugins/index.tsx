// Plugins: the list, one plugin, and the directory of those that can be added.
import type { ComponentType } from 'react'
import type { PageProps } from '../../app/page-props.ts'
import { DirectoryPage } from './directory/index.tsx'
import { ListingPage } from './directory/listing.tsx'
import { PluginList } from './list.tsx'
import { PluginPage } from './plugin.tsx'

const PAGES: Readonly<Record<string, ComponentType<{ readonly id: string }>>> = {
  '/plugins/:id': PluginPage,
  '/plugin-directory': DirectoryPage,
  '/plugin-directory/:id': ListingPage,
}

export default function Plugins({ path, params }: PageProps) {
  const Shown = PAGES[path] ?? PluginList
  return <Shown id={params['id'] ?? ''} />
}
