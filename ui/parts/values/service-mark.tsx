// The sign of a service: its colour and drawing as its plugin gives them, else the first letter of its name.
import { useNames } from './names.ts'

const OTHER = '#4b5263'

/** Decorative: the name stands beside it. */
export function ServiceMark({ provider, size = 20 }: { readonly provider: string; readonly size?: number }) {
  const names = useNames()
  const mark = names.mark(provider)
  return (
    <svg className="service-mark" width={size} height={size} viewBox="0 0 36 36" aria-hidden data-provider={provider}>
      <rect width={36} height={36} rx={9} fill={mark?.color ?? OTHER} />
      {mark?.path === undefined ? (
        <text x={18} y={24} textAnchor="middle" fontSize={18} fontWeight={700} fill="#fff">
          {names.account(provider).slice(0, 1)}
        </text>
      ) : (
        <path d={mark.path} transform="translate(6 6)" fill="#fff" fillRule="evenodd" />
      )}
    </svg>
  )
}
