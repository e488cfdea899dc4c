// Playlists: the list of synced ones, and one of them.
import type { PageProps } from '../../app/page-props.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { All } from './all.tsx'

const One = lazyPart(() => import('./one.tsx'))

export default function Playlists({ path, params }: PageProps) {
  return path === '/playlists/:id' ? <One key={params['id']} id={params['id'] as string} /> : <All />
}
