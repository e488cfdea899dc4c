// Display names of services and types; rows contain provider tokens.
import { watchlist } from '../../texts/en/watchlist.ts'
import { useMemo } from 'react'
import { useManifests } from '../../parts/sign-in/manifests.ts'

interface Service {
  readonly id: string
  readonly label: string
}

export type Services = (token: string) => Service

export function useServices(): Services {
  const { data } = useManifests()
  return useMemo(() => {
    const known = new Map((data ?? []).map(({ token, name, label }) => [token.toLowerCase(), { id: name, label }]))
    return (token) => known.get(token.toLowerCase()) ?? { id: token, label: token }
  }, [data])
}

export function kindName(kind: string, form: 'kinds' | 'kindsMany' = 'kinds'): string {
  return (watchlist[form] as Readonly<Record<string, string>>)[kind] ?? kind
}
