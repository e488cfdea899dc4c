// The icon of a service: the colour and path from its plugin, otherwise the first letter of its name.
import { Group, type SelectProps } from '@mantine/core'
import { useNames } from './names.ts'

interface MarkDrawing {
  readonly color: string
  /** The `d` attribute of an SVG path in a 24 × 24 view box. */
  readonly path?: string
}

const OTHER = '#4b5263'

interface MarkProps {
  readonly mark: MarkDrawing | null | undefined
  readonly name: string
  readonly size?: number
  readonly provider?: string
}

/** Decorative, because the name is beside it. */
export function Mark({ mark, name, size = 20, provider }: MarkProps) {
  return (
    <svg className="service-mark" width={size} height={size} viewBox="0 0 36 36" aria-hidden data-provider={provider}>
      <rect width={36} height={36} rx={9} fill={mark?.color ?? OTHER} />
      {mark?.path === undefined ? (
        <text x={18} y={24} textAnchor="middle" fontSize={18} fontWeight={700} fill="#fff">
          {name.slice(0, 1)}
        </text>
      ) : (
        <path d={mark.path} transform="translate(6 6)" fill="#fff" fillRule="evenodd" />
      )}
    </svg>
  )
}

/** The icon of a provider. */
export function ServiceMark({ provider, size = 20 }: { readonly provider: string; readonly size?: number }) {
  const names = useNames()
  // The place without a square that would have no letter.
  if (!names.isKnown) return <svg className="service-mark" width={size} height={size} aria-hidden />
  return <Mark mark={names.mark(provider)} name={names.account(provider)} size={size} provider={provider} />
}

/** Options of a select whose values begin with a provider: `TRACKA`, `TRACKA@TRACKA-P01`. */
export const serviceOption: SelectProps['renderOption'] = ({ option }) => (
  <Group gap="xs" wrap="nowrap">
    <ServiceMark provider={option.value.split('@')[0]!} size={18} />
    {option.label}
  </Group>
)
