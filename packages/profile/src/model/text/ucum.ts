// Checks units against the grammar of UCUM (case-sensitive form, specification version 2.1).
//
//   term        = [ "/" ] component { ( "." | "/" ) component }
//   component   = "(" term ")" | annotation | integer | unit [ exponent ] [ annotation ]
//   unit        = atom | prefix metric-atom
//
// Examples: ms, By/s, {requests}/min, 10*3.m, kg.m2.s-2, [in_i]

const PREFIXES = 'Y Z E P T G M k h da d c m u n p f a z y Ki Mi Gi Ti'.split(' ')

/** Atoms that can have a prefix. */
const METRIC: ReadonlySet<string> = new Set(
  (
    'm s g rad K C cd mol sr Hz N Pa J W A V F Ohm S Wb Cel T H lm lx Bq Gy Sv l L ar t bar u eV pc st ' +
    '[c] [h] [k] [eps_0] [mu_0] [e] [m_e] [m_p] [G] [g] [ly] gf Ky Gal dyn erg P Bi St Mx G Oe Gb sb Lmb ph Ci R RAD REM ' +
    'cal_[15] cal_[20] cal_m cal_IT cal_th cal tex m[H2O] m[Hg] mho g% eq osm kat U [iU] [IU] Np B B[SPL] B[V] B[mV] ' +
    "B[uV] B[10.nV] B[W] B[kW] bit By Bd [m/s2/Hz^(1/2)] a_g [p'diop]"
  ).split(' '),
)

/** Atoms that cannot have a prefix. */
const NON_METRIC: ReadonlySet<string> = new Set(
  (
    "10* 10^ [pi] % [ppth] [ppm] [ppb] [pptr] gon deg ' '' min h d a_t a_j a_g a wk mo_s mo_j mo_g mo AU atm [lbf_av] " +
    '[in_i] [ft_i] [yd_i] [mi_i] [fth_i] [nmi_i] [kn_i] [sin_i] [sft_i] [syd_i] [cin_i] [cft_i] [cyd_i] [bf_i] [cr_i] ' +
    '[mil_i] [cml_i] [hd_i] [ft_us] [yd_us] [in_us] [rd_us] [ch_us] [lk_us] [rch_us] [rlk_us] [fth_us] [fur_us] [mi_us] ' +
    '[acr_us] [srd_us] [smi_us] [sct] [twp] [mil_us] [in_br] [ft_br] [yd_br] [mi_br] [nmi_br] [kn_br] [acr_br] [gal_us] ' +
    '[bbl_us] [qt_us] [pt_us] [gil_us] [foz_us] [fdr_us] [min_us] [crd_us] [bu_us] [gal_wi] [pk_us] [dqt_us] [dpt_us] ' +
    '[tbs_us] [tsp_us] [cup_us] [foz_m] [cup_m] [tsp_m] [tbs_m] [gal_br] [pk_br] [bu_br] [qt_br] [pt_br] [foz_br] [gr] ' +
    '[lb_av] [oz_av] [dr_av] [scwt_av] [lcwt_av] [ston_av] [lton_av] [stone_av] [pwt_tr] [oz_tr] [lb_tr] [lne] [pnt] ' +
    '[pca] [pnt_pr] [pca_pr] [pied] [pouce] [ligne] [didot] [cicero] [degF] [degR] [degRe] [Cal] [Btu_39] [Btu_59] [Btu_60] ' +
    "[Btu_m] [Btu_IT] [Btu_th] [Btu] [HP] [den] [in_i'H2O] [in_i'Hg] [PRU] [wood'U] [diop] %[slope] [mesh_i] [Ch] [drp] " +
    "[hnsf'U] [MET] [S] [HPF] [LPF] [pH] [circ] [psi] circ sph [car_m] [car_Au] [smoot] bit_s [hp_X] [hp_C] [hp_M] [hp_Q]"
  ).split(' '),
)

const ANNOTATION = /^\{[!-z|~]*\}/
/** The longest match first: letters, digits inside of brackets, and the special atoms. */
const SYMBOL = /^(?:10[*^]|%\[slope\]|%|''?|(?:[A-Za-z_]+|\[[^\][]+\])(?:\[[^\][]+\]|_[A-Za-z]+|%)?)/
const EXPONENT = /^[+-]?\d+/
const INTEGER = /^\d+/

/** Longer texts are not units. */
const MAX_LENGTH = 256

export function isUcum(text: string): boolean {
  if (text === '' || text.length > MAX_LENGTH) return false
  const rest = term(text.startsWith('/') ? text.slice(1) : text)
  return rest === ''
}

/** Returns the text after a term, or undefined if there is none. */
function term(text: string): string | undefined {
  let rest = component(text)
  while (rest !== undefined && (rest.startsWith('.') || rest.startsWith('/'))) rest = component(rest.slice(1))
  return rest
}

function component(text: string): string | undefined {
  if (text.startsWith('(')) {
    const rest = term(text.startsWith('(/') ? text.slice(2) : text.slice(1))
    return rest?.startsWith(')') === true ? rest.slice(1) : undefined
  }
  const annotation = ANNOTATION.exec(text)?.[0]
  if (annotation !== undefined) return text.slice(annotation.length)
  const symbol = SYMBOL.exec(text)?.[0]
  if (symbol === undefined || !isUnit(symbol)) {
    const integer = INTEGER.exec(text)?.[0]
    return integer === undefined ? undefined : withoutAnnotation(text.slice(integer.length))
  }
  const rest = text.slice(symbol.length)
  return withoutAnnotation(rest.slice(EXPONENT.exec(rest)?.[0].length ?? 0))
}

function withoutAnnotation(text: string): string {
  return text.slice(ANNOTATION.exec(text)?.[0].length ?? 0)
}

function isUnit(symbol: string): boolean {
  if (METRIC.has(symbol) || NON_METRIC.has(symbol)) return true
  return PREFIXES.some(prefix => symbol.startsWith(prefix) && METRIC.has(symbol.slice(prefix.length)))
}
