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

/** Actions as messages. */
final class Writing {
  private Writing() {}

  static io.github.mergemaker.v1.Action action(Action action) {
    io.github.mergemaker.v1.Action.Builder message = io.github.mergemaker.v1.Action.newBuilder();
    if (action instanceof Action.Place place) {
      message.setPlace(Place.newBuilder().setSquare(place.square()).setDeclare(place.declare()));
    } else if (action instanceof Action.StopPlay) {
      message.setStopPlay(StopPlay.getDefaultInstance());
    } else if (action instanceof Action.EndPlacing) {
      message.setEndPlacing(EndPlacing.getDefaultInstance());
    } else if (action instanceof Action.NameFounded named) {
      message.setNameFounded(NameFounded.newBuilder().setChain(named.chain()));
    } else if (action instanceof Action.NameSurvivor named) {
      message.setNameSurvivor(NameSurvivor.newBuilder().setChain(named.chain()));
    } else if (action instanceof Action.NameAcquired named) {
      message.setNameAcquired(NameAcquired.newBuilder().setChain(named.chain()));
    } else if (action instanceof Action.Dispose dispose) {
      message.setDispose(Dispose.newBuilder().setSell(dispose.sell()).setTrade(dispose.trade()));
    } else if (action instanceof Action.Buy buy) {
      message.setBuy(Buy.newBuilder().addAllShares(buy.shares()).setDeclare(buy.declare()));
    } else if (action instanceof Action.Exchange exchange) {
      message.setExchange(Exchange.newBuilder().setExchange(exchange.exchange()));
    } else if (action instanceof Action.UsePower use) {
      message.setUsePower(UsePower.newBuilder().setPower(use.power()));
    } else if (action instanceof Action.TradePair trade) {
      message.setTradePair(TradePair.newBuilder().setGive(trade.give()).setTake(trade.take()));
    } else if (action instanceof Action.EndTrading) {
      message.setEndTrading(EndTrading.getDefaultInstance());
    } else if (action instanceof Action.NoOffer) {
      message.setNoOffer(NoOffer.getDefaultInstance());
    } else if (action instanceof Action.OfferTrade offer) {
      message.setOfferTrade(
          OfferTrade.newBuilder()
              .setPartner(offer.partner())
              .addAllGiveShares(offer.giveShares())
              .setGiveCash(offer.giveCash())
              .addAllTakeShares(offer.takeShares())
              .setTakeCash(offer.takeCash()));
    } else if (action instanceof Action.Reply reply) {
      message.setReply(Reply.newBuilder().setAccept(reply.accept()));
    }
    return message.build();
  }
}
