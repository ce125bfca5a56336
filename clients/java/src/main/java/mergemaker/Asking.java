package mergemaker;

/** Puts a question to the method of a bot that is for its kind. */
final class Asking {
  private Asking() {}

  static Answer byKind(Bot bot, Turn turn) throws Exception {
    Question question = turn.question();
    if (question instanceof Question.ChooseTile) {
      return bot.chooseTile(turn);
    } else if (question instanceof Question.ChooseFounded) {
      return bot.chooseFounded(turn);
    } else if (question instanceof Question.ChooseSurvivor) {
      return bot.chooseSurvivor(turn);
    } else if (question instanceof Question.ChooseAcquired) {
      return bot.chooseAcquired(turn);
    } else if (question instanceof Question.ChooseDisposal) {
      return bot.chooseDisposal(turn);
    } else if (question instanceof Question.ChoosePurchase) {
      return bot.choosePurchase(turn);
    } else if (question instanceof Question.ChooseExchange) {
      return bot.chooseExchange(turn);
    } else if (question instanceof Question.ChoosePower) {
      return bot.choosePower(turn);
    } else if (question instanceof Question.ChoosePairTrade) {
      return bot.choosePairTrade(turn);
    } else if (question instanceof Question.ChooseOffer) {
      return bot.chooseOffer(turn);
    } else if (question instanceof Question.ChooseReply) {
      return bot.chooseReply(turn);
    }
    throw new AssertionError("there is no other kind of question than " + question.kind());
  }
}
