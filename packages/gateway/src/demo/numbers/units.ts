/**
 * How many of one unit is a number of another?
 *
 * One table: each unit is a factor (and for temperature an offset) to the base unit of its dimension. Sources: the
 * SI Brochure (9th edition), NIST SP 811 for the customary units, IEC 80000-13 for binary prefixes. A name is looked
 * up as written first, because case carries meaning (Mb is bits, MB is bytes), and then without case where only one
 * unit can be meant. Units of different dimensions never convert.
 */
interface Unit {
  dimension: string
  symbol: string
  /** base = value * factor + offset */
  factor: number
  offset: number
  names: readonly string[]
}

type Row = readonly [symbol: string, factor: number, names: string, offset?: number]

const DIMENSIONS: Record<string, readonly Row[]> = {
  length: [
    ['m', 1, 'meter meters metre metres'],
    ['nm', 1e-9, 'nanometer nanometers'],
    ['um', 1e-6, 'µm micrometer micrometers micron'],
    ['mm', 1e-3, 'millimeter millimeters millimetre'],
    ['cm', 1e-2, 'centimeter centimeters centimetre'],
    ['km', 1e3, 'kilometer kilometers kilometre kilometres'],
    ['in', 0.0254, 'inch inches "'],
    ['ft', 0.3048, 'foot feet'],
    ['yd', 0.9144, 'yard yards'],
    ['mi', 1609.344, 'mile miles'],
    ['nmi', 1852, 'nautical_mile nautical_miles'],
  ],
  mass: [
    ['kg', 1, 'kilogram kilograms'],
    ['mg', 1e-6, 'milligram milligrams'],
    ['g', 1e-3, 'gram grams'],
    ['t', 1e3, 'tonne tonnes metric_ton'],
    ['oz', 0.028349523125, 'ounce ounces'],
    ['lb', 0.45359237, 'lbs pound pounds'],
    ['st', 6.35029318, 'stone stones'],
    ['short_ton', 907.18474, 'us_ton'],
  ],
  temperature: [
    ['K', 1, 'kelvin kelvins'],
    ['C', 1, '°C celsius degC', 273.15],
    ['F', 5 / 9, '°F fahrenheit degF', 273.15 - (32 * 5) / 9],
  ],
  time: [
    ['s', 1, 'second seconds sec'],
    ['ns', 1e-9, 'nanosecond nanoseconds'],
    ['us', 1e-6, 'µs microsecond microseconds'],
    ['ms', 1e-3, 'millisecond milliseconds'],
    ['min', 60, 'minute minutes'],
    ['h', 3600, 'hour hours hr'],
    ['d', 86_400, 'day days'],
    ['wk', 604_800, 'week weeks'],
    ['yr', 31_557_600, 'year years julian_year'],
  ],
  data: [
    ['B', 8, 'byte bytes'],
    ['bit', 1, 'b bits'],
    ['kb', 1e3, 'kbit kilobit kilobits'],
    ['Mb', 1e6, 'Mbit megabit megabits'],
    ['Gb', 1e9, 'Gbit gigabit gigabits'],
    ['kB', 8e3, 'KB kilobyte kilobytes'],
    ['MB', 8e6, 'megabyte megabytes'],
    ['GB', 8e9, 'gigabyte gigabytes'],
    ['TB', 8e12, 'terabyte terabytes'],
    ['PB', 8e15, 'petabyte petabytes'],
    ['KiB', 8 * 1024, 'kibibyte kibibytes'],
    ['MiB', 8 * 1024 ** 2, 'mebibyte mebibytes'],
    ['GiB', 8 * 1024 ** 3, 'gibibyte gibibytes'],
    ['TiB', 8 * 1024 ** 4, 'tebibyte tebibytes'],
  ],
  area: [
    ['m2', 1, 'm² square_meter square_meters sqm'],
    ['cm2', 1e-4, 'cm²'],
    ['km2', 1e6, 'km² square_kilometer'],
    ['ha', 1e4, 'hectare hectares'],
    ['acre', 4046.8564224, 'acres ac'],
    ['ft2', 0.09290304, 'ft² square_foot square_feet sqft'],
    ['mi2', 2_589_988.110336, 'mi² square_mile'],
  ],
  volume: [
    ['l', 1, 'L liter liters litre litres'],
    ['ml', 1e-3, 'mL milliliter milliliters'],
    ['m3', 1e3, 'm³ cubic_meter'],
    ['tsp', 0.00492892159375, 'teaspoon teaspoons'],
    ['tbsp', 0.01478676478125, 'tablespoon tablespoons'],
    ['cup', 0.2365882365, 'cups us_cup'],
    ['floz', 0.0295735295625, 'fl_oz fluid_ounce'],
    ['pt', 0.473176473, 'pint pints us_pint'],
    ['gal', 3.785411784, 'gallon gallons us_gallon'],
  ],
  speed: [
    ['m/s', 1, 'mps'],
    ['km/h', 1 / 3.6, 'kmh kph'],
    ['mph', 0.44704, 'mi/h'],
    ['kn', 1852 / 3600, 'knot knots kt'],
    ['ft/s', 0.3048, 'fps'],
  ],
  pressure: [
    ['Pa', 1, 'pascal pascals'],
    ['kPa', 1e3, 'kilopascal'],
    ['hPa', 100, 'hectopascal mbar millibar'],
    ['bar', 1e5, 'bars'],
    ['atm', 101_325, 'atmosphere atmospheres'],
    ['psi', 6894.757293168, ''],
    ['mmHg', 133.322387415, 'torr'],
  ],
  energy: [
    ['J', 1, 'joule joules'],
    ['kJ', 1e3, 'kilojoule kilojoules'],
    ['Wh', 3600, 'watt_hour'],
    ['kWh', 3.6e6, 'kilowatt_hour kilowatt_hours'],
    ['cal', 4.184, 'calorie calories'],
    ['kcal', 4184, 'kilocalorie kilocalories'],
    ['BTU', 1055.05585262, 'btu'],
  ],
  angle: [
    ['rad', 1, 'radian radians'],
    ['deg', Math.PI / 180, '° degree degrees'],
    ['turn', 2 * Math.PI, 'turns revolution'],
  ],
}

const UNITS: readonly Unit[] = Object.entries(DIMENSIONS).flatMap(([dimension, rows]) =>
  rows.map(([symbol, factor, names, offset = 0]) => ({
    dimension,
    symbol,
    factor,
    offset,
    names: [symbol, ...names.split(' ').filter(Boolean)],
  })),
)

/** One line per dimension with its symbols, for descriptions and errors. */
export const UNIT_LIST = Object.entries(DIMENSIONS)
  .map(([dimension, rows]) => `${dimension}: ${rows.map(([symbol]) => symbol).join(' ')}`)
  .join('; ')

export interface Conversion {
  value: number
  from: string
  to: string
  dimension: string
}

/** Converts `value`; throws an Error that names the unknown unit, or both dimensions when they differ. */
export function convertUnits(value: number, from: string, to: string): Conversion {
  const [source, target] = [findUnit(from), findUnit(to)]
  if (source.dimension !== target.dimension) {
    throw new Error(
      `${source.symbol} measures ${source.dimension} and ${target.symbol} measures ${target.dimension}; they do not convert.`,
    )
  }
  const base = value * source.factor + source.offset
  if (source.dimension === 'temperature' && base < -1e-9) throw new Error('That is below absolute zero.')
  const converted = source === target ? value : (base - target.offset) / target.factor
  if (!Number.isFinite(converted)) throw new Error('The result is too large.')
  return {
    value: withoutNoise(converted),
    from: source.symbol,
    to: target.symbol,
    dimension: source.dimension,
  }
}

function findUnit(name: string): Unit {
  const wanted = name.trim().replaceAll(/\s+/g, '_')
  const exact = UNITS.find((unit) => unit.names.includes(wanted))
  if (exact) return exact
  const lower = wanted.toLowerCase()
  const loose = UNITS.filter((unit) => unit.names.some((known) => known.toLowerCase() === lower))
  if (loose.length === 1 && loose[0]) return loose[0]
  if (loose.length > 1) {
    throw new Error(`'${name}' may mean ${loose.map((unit) => unit.symbol).join(' or ')}; write it exactly.`)
  }
  throw new Error(`Unknown unit '${name}'. Known units: ${UNIT_LIST}.`)
}

/** 12 digits are more than any factor above promises; the rest is the noise of binary fractions. */
function withoutNoise(value: number): number {
  const rounded = Number(value.toPrecision(12))
  return Math.abs(rounded) < 1e-300 ? 0 : rounded
}
