/** The logo of a service or client in the colour of the text around it, or letters of its name where there is none. */
import { Letter } from './badges.tsx'
import sprite from './logos.svg?url'

export interface LogoProps {
  /** As `logo-of.ts` says. */
  readonly logo: string | undefined
  readonly name: string
  /** Pixels. */
  readonly size?: number
}

export function Logo({ logo, name, size = 32 }: LogoProps) {
  if (logo === undefined) return <Letter name={name} size={size} />
  const inner = Math.round(size * 0.6)
  return (
    <span className="mark logo" style={{ width: size, height: size }}>
      <svg width={inner} height={inner} aria-hidden>
        <use href={`${sprite}#${logo}`} />
      </svg>
    </span>
  )
}
