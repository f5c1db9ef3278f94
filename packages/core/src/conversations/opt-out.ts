import { plainWords, wordPatterns } from './plain-words.ts';

// "before five", "at work", "if …": the wish is about when or where, which is for the model to honour.
const limited = {
  en: '(?! (?:(?:me|us|here|again|this number) )*(?:before|until|till|after|at (?!all|this)|on (?!this)|in the|during|while|when|if|unless|between|so (?:early|late)|right now|this (?:week|morning|afternoon|evening)|today|tonight|tomorrow|(?:early|late)(?:r)?\\b|an? |names))',
  es: '(?! (?:tarde|temprano|antes|despues|hoy|manana|por la|a las|en (?:el|la)|si |cuando))',
  fr: '(?! (?:tot|tard|avant|apres|a |au |pendant|quand|si |le |ce |cet|aujourd|demain))',
  it: '(?! (?:tardi|presto|prima|dopo|alle|oggi|domani|quando|se |la (?:mattina|sera)))',
  pt: '(?! (?:tarde|cedo|antes|depois|hoje|amanha|as |a noite|de manha|quando|se ))',
  nl: '(?! (?:voor|na |om |op |in de|tijdens|als|wanneer|vandaag|morgen|zo ))',
};

const patterns = wordPatterns([
  // English
  `(?<!(?:don't|do not|didn't say|never said|never) )stop (?:calling|phoning|ringing|contacting)(?: (?:me|us|here|this number))?${limited.en}`,
  `(?:don't|do not|never|please not) (?:you )?(?:ever )?(?:call|phone|ring|contact)(?: (?:me|us|here|this number|this house))* (?:again|any ?more|ever)${limited.en}`,
  `(?:(?<=\\| )|(?<=please )|(?<=just )|(?<=and )|(?<=so )|(?<=said ))(?:don't|do not|never) (?:ever )?(?:call|phone|ring|contact) (?:me|us|here|this number|this house)(?= \\|| please| thank)`,
  "(?<!(?:don't|do not) )(?:take|remove|get|delete|drop|scratch) (?:me|us|my (?:number|name|phone number)|this number) (?:off|from|out of)(?: of)? (?:your|the|this|that|all|any)",
  "(?<!(?:don't|do not) )(?:remove|delete|erase|lose) (?:my|this) (?:phone )?number",
  "(?<!(?:don't|do not) )(?:put|add|place) (?:me|us|my number|this number) (?:on|to) (?:your|the|a) (?:do not|don't|no) call",
  'no more (?:phone )?calls(?= \\|| please| from you| to me)',
  "i (?:don't|do not) want (?:any )?(?:more|to (?:get|receive)(?: any)?(?: more)?|(?:of )?your|these|to be)(?: of)?(?: your| these| those)? ?(?:calls|phone calls|called)(?: again| any ?more)?(?= \\||$| from| please)",
  '(?:(?<=\\| )|(?<=please )|(?<=want to )|(?<=like to ))(?:unsubscribe|opt (?:me )?out)',
  // Spanish
  `no (?:me|nos) (?:vuelva[ns]?|vuelvas) a (?:llamar|contactar|telefonear)${limited.es}`,
  `no (?:vuelva[ns]?|vuelvas) a (?:llamar|contactar)(?:me|nos)?${limited.es}`,
  `no (?:me |nos )?llame[ns]? (?:nunca )?mas${limited.es}`,
  `(?:deje[ns]?|deja|dejad|pare[ns]?|para) de llamar(?:me|nos)?${limited.es}`,
  '(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen)(?:me|nos) de (?:su|la|esa|sus|las) lista',
  '(?:quite|quiten|saque|saquen|borre|borren|elimine|eliminen) mi (?:numero|telefono|nombre)',
  'no quiero (?:recibir )?mas llamadas',
  // German
  'ruf(?:en sie)?(?: (?:mich|uns|hier|bitte|diese nummer))* (?:nicht mehr|nie mehr|nie wieder|nicht wieder|nicht noch ?mal|nicht noch einmal)(?: wieder)? an\\b',
  '(?:nicht mehr|nie wieder|nie mehr) an(?:zu)?rufen',
  'hor(?:en sie)?(?: bitte)? auf(?: \\|)?(?: (?:mich|uns|hier|standig|dauernd|immer))* anzurufen',
  '(?:streich|nehm|losch|entfern|trag)(?:en)? sie (?:mich|uns|meine (?:telefon)?nummer|meinen namen)(?: bitte)? (?:von|aus)',
  '(?:streich|losch|entfern)(?:en)? sie (?:bitte )?meine (?:telefon)?nummer',
  'keine (?:weiteren )?anrufe mehr',
  // French
  `(?:ne )?(?:me|m'|nous|n')? ?(?:r?appelez|telephonez|contactez)(?:[- ](?:moi|nous))? (?:plus jamais|jamais plus|plus)${limited.fr}`,
  `(?:arretez|cessez|arrete) de (?:m'|me |nous )(?:appeler|telephoner|contacter|rappeler)${limited.fr}`,
  `ne plus (?:m'|me |nous )?(?:appeler|telephoner|contacter|rappeler)${limited.fr}`,
  '(?:retirez|enlevez|supprimez|rayez|effacez|otez)[- ](?:moi|nous) de (?:votre|vos|la|cette)',
  '(?:retirez|enlevez|supprimez|rayez|effacez) mon (?:numero|nom)',
  // Italian
  `non (?:mi |ci )?(?:chiami|chiamate|chiamare|chiamatemi|chiamarmi|telefoni|telefonate|richiami|richiamate) (?:mai )?piu${limited.it}`,
  `(?:smetta|smetti|smettete|smettetela|la smetta) di (?:chiamar|telefonar)(?:e|mi|ci)${limited.it}`,
  '(?:mi tolga|mi tolgano|toglietemi|mi cancelli|cancellatemi|mi rimuova|rimuovetemi) d(?:alla|alle|a)',
  '(?:cancelli|cancellate|rimuova|rimuovete|tolga|togliete) il mio numero',
  // Portuguese
  `nao (?:me |nos )?(?:ligue[ms]?|telefone[ms]?|contate[ms]?)(?: para mim| para ca)? (?:nunca )?(?:mais|novamente|de novo|outra vez)${limited.pt}`,
  `pare[m]? de (?:me )?(?:ligar|telefonar)(?:-me)?${limited.pt}`,
  '(?:me )?(?:tire|tirem|retire|retirem|remova|removam)(?:-me| o meu numero| meu numero|) (?:d[ae]s?|de) (?:sua|vossa|lista)',
  '(?:apague|apaguem|remova|removam|retire|retirem) (?:o )?meu numero',
  // Dutch
  `bel (?:mij|me|ons|hier|dit nummer)(?: alstublieft| alsjeblieft)? (?:niet|nooit) (?:meer|weer|nog een keer)${limited.nl}`,
  `(?:stop|hou op|houd op) met (?:mij |me |ons )?(?:te )?bellen${limited.nl}`,
  '(?:haal|verwijder|schrap) (?:mij|me|ons|mijn (?:telefoon)?nummer)(?: alstublieft)? (?:van|uit)',
  'verwijder mijn (?:telefoon)?nummer',
]);

/**
 * Whether the callee asks not to be called again, in any of the languages we have phrases in.
 * Holds independently of the model. A wish about the time or place of calls is not one.
 */
export function asksForNoMoreCalls(words: string): boolean {
  const plain = plainWords(words);
  return patterns.some((pattern) => pattern.test(plain));
}
