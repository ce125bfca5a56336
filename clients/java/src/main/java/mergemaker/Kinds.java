// Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
package mergemaker;

import io.github.mergemaker.v1.Buy;
import io.github.mergemaker.v1.Dispose;
import io.github.mergemaker.v1.EndPlacing;
import io.github.mergemaker.v1.EndTrading;
import io.github.mergemaker.v1.Exchange;
import io.github.mergemaker.v1.NameAcquired;
import io.github.mergemaker.v1.NameFounded;
import io.github.mergemaker.v1.NameSurvivor;
import io.github.mergemaker.v1.NoOffer;
import io.github.mergemaker.v1.OfferTrade;
import io.github.mergemaker.v1.Place;
import io.github.mergemaker.v1.Reply;
import io.github.mergemaker.v1.StopPlay;
import io.github.mergemaker.v1.TradePair;
import io.github.mergemaker.v1.UsePower;

/** Questions and actions, by kind. */
final class Kinds {
  private Kinds() {}

  /** Puts a question to the method that is for its kind. */
  static Answer ask(Handlers bot, Turn turn) throws Exception {
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

  static Question question(io.github.mergemaker.v1.Question asked) throws UnreadableException {
    return switch (asked.getKindCase()) {
      case CHOOSE_TILE ->
          new Question.ChooseTile(
              asked.getChooseTile().getNumber(), asked.getChooseTile().getMost());
      case CHOOSE_FOUNDED -> new Question.ChooseFounded(asked.getChooseFounded().getSquare());
      case CHOOSE_SURVIVOR ->
          new Question.ChooseSurvivor(
              asked.getChooseSurvivor().getSquare(),
              Reading.chains(asked.getChooseSurvivor().getChainsList()));
      case CHOOSE_ACQUIRED ->
          new Question.ChooseAcquired(Reading.chain(asked.getChooseAcquired().getSurvivor()));
      case CHOOSE_DISPOSAL ->
          new Question.ChooseDisposal(
              Reading.chain(asked.getChooseDisposal().getAcquired()),
              Reading.chain(asked.getChooseDisposal().getSurvivor()));
      case CHOOSE_PURCHASE -> new Question.ChoosePurchase(asked.getChoosePurchase().getTerms());
      case CHOOSE_EXCHANGE -> new Question.ChooseExchange();
      case CHOOSE_POWER -> new Question.ChoosePower(asked.getChoosePower().getPhase());
      case CHOOSE_PAIR_TRADE ->
          new Question.ChoosePairTrade(asked.getChoosePairTrade().getNumber());
      case CHOOSE_OFFER -> new Question.ChooseOffer(asked.getChooseOffer().getLeft());
      case CHOOSE_REPLY ->
          new Question.ChooseReply(
              asked.getChooseReply().getProposer(),
              Reading.countsOrNone(asked.getChooseReply().getGiveSharesList()),
              asked.getChooseReply().getGiveCash(),
              Reading.countsOrNone(asked.getChooseReply().getTakeSharesList()),
              asked.getChooseReply().getTakeCash());
      case KIND_NOT_SET -> throw new UnreadableException("a question of an unknown kind");
    };
  }

  static Action action(io.github.mergemaker.v1.Action message) throws UnreadableException {
    return switch (message.getKindCase()) {
      case PLACE ->
          new Action.Place(message.getPlace().getSquare(), message.getPlace().getDeclare());
      case STOP_PLAY -> new Action.StopPlay();
      case END_PLACING -> new Action.EndPlacing();
      case NAME_FOUNDED ->
          new Action.NameFounded(Reading.chain(message.getNameFounded().getChain()));
      case NAME_SURVIVOR ->
          new Action.NameSurvivor(Reading.chain(message.getNameSurvivor().getChain()));
      case NAME_ACQUIRED ->
          new Action.NameAcquired(Reading.chain(message.getNameAcquired().getChain()));
      case DISPOSE ->
          new Action.Dispose(message.getDispose().getSell(), message.getDispose().getTrade());
      case BUY ->
          new Action.Buy(
              Reading.countsOrNone(message.getBuy().getSharesList()),
              message.getBuy().getDeclare());
      case EXCHANGE -> new Action.Exchange(message.getExchange().getExchange());
      case USE_POWER -> new Action.UsePower(message.getUsePower().getPower());
      case TRADE_PAIR ->
          new Action.TradePair(
              Reading.chain(message.getTradePair().getGive()),
              Reading.chain(message.getTradePair().getTake()));
      case END_TRADING -> new Action.EndTrading();
      case NO_OFFER -> new Action.NoOffer();
      case OFFER_TRADE ->
          new Action.OfferTrade(
              message.getOfferTrade().getPartner(),
              Reading.countsOrNone(message.getOfferTrade().getGiveSharesList()),
              message.getOfferTrade().getGiveCash(),
              Reading.countsOrNone(message.getOfferTrade().getTakeSharesList()),
              message.getOfferTrade().getTakeCash());
      case REPLY -> new Action.Reply(message.getReply().getAccept());
      case KIND_NOT_SET -> throw new UnreadableException("an action of an unknown kind");
    };
  }

  static io.github.mergemaker.v1.Action message(Action action) {
    io.github.mergemaker.v1.Action.Builder message = io.github.mergemaker.v1.Action.newBuilder();
    if (action instanceof Action.Place it) {
      message.setPlace(Place.newBuilder().setSquare(it.square()).setDeclare(it.declare()));
    } else if (action instanceof Action.StopPlay) {
      message.setStopPlay(StopPlay.getDefaultInstance());
    } else if (action instanceof Action.EndPlacing) {
      message.setEndPlacing(EndPlacing.getDefaultInstance());
    } else if (action instanceof Action.NameFounded it) {
      message.setNameFounded(NameFounded.newBuilder().setChain(it.chain()));
    } else if (action instanceof Action.NameSurvivor it) {
      message.setNameSurvivor(NameSurvivor.newBuilder().setChain(it.chain()));
    } else if (action instanceof Action.NameAcquired it) {
      message.setNameAcquired(NameAcquired.newBuilder().setChain(it.chain()));
    } else if (action instanceof Action.Dispose it) {
      message.setDispose(Dispose.newBuilder().setSell(it.sell()).setTrade(it.trade()));
    } else if (action instanceof Action.Buy it) {
      message.setBuy(Buy.newBuilder().addAllShares(it.shares()).setDeclare(it.declare()));
    } else if (action instanceof Action.Exchange it) {
      message.setExchange(Exchange.newBuilder().setExchange(it.exchange()));
    } else if (action instanceof Action.UsePower it) {
      message.setUsePower(UsePower.newBuilder().setPower(it.power()));
    } else if (action instanceof Action.TradePair it) {
      message.setTradePair(TradePair.newBuilder().setGive(it.give()).setTake(it.take()));
    } else if (action instanceof Action.EndTrading) {
      message.setEndTrading(EndTrading.getDefaultInstance());
    } else if (action instanceof Action.NoOffer) {
      message.setNoOffer(NoOffer.getDefaultInstance());
    } else if (action instanceof Action.OfferTrade it) {
      message.setOfferTrade(
          OfferTrade.newBuilder()
              .setPartner(it.partner())
              .addAllGiveShares(it.giveShares())
              .setGiveCash(it.giveCash())
              .addAllTakeShares(it.takeShares())
              .setTakeCash(it.takeCash()));
    } else if (action instanceof Action.Reply it) {
      message.setReply(Reply.newBuilder().setAccept(it.accept()));
    }
    return message.build();
  }
}
