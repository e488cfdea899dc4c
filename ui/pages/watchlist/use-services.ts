// What people call the services of the list: its rows name them by their tokens.
import { useMemo } from 'react'
import { useManifests } from '../../parts/sign-in/index.ts'

export interface Service {
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
