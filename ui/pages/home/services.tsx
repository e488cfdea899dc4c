// The services with their health, those with problems first.
import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { useNames, type Names } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { home } from '../../texts/en/home.ts'
import type { Service } from './health.ts'

const { services: texts } = home

export function Services({ services }: { readonly services: readonly Service[] }) {
  const names = useNames()
  if (services.length === 0) return null
  return (
    <section aria-label={texts.title}>
      <ul className="plain-list services">
        {services.map((service) => (
          <li key={`${service.provider} ${service.instance}`}>
            <ServiceChip service={service} names={names} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ServiceChip({ service, names }: { readonly service: Service; readonly names: Names }) {
  const { provider, instance, label, tone, state } = service
  return (
    <Link href={`/connections/${encodeURIComponent(provider)}`} className="service" data-tone={tone}>
      <ServiceMark provider={provider} size={28} />
      <span className="service-names">
        <Text span size="sm" fw={600} truncate>
          {names.account(provider, instance) || label}
        </Text>
        <Text span size="xs" c="dimmed" truncate>
          {texts.states[state]}
        </Text>
      </span>
      <span className="service-dot" aria-hidden />
    </Link>
  )
}
