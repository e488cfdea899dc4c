// The sign-in methods of each service, shared by all components.
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'

export type Manifest = Answer<'GET /api/auth/providers'>[number]
export type Way = Manifest['sign_in'][number]

export function useManifests() {
  return useRead(['connections', 'manifests'], 'GET /api/auth/providers', undefined, { staleTime: 60_000 })
}
